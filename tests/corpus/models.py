"""Public model files, which are correct: a finding of severity error in one of them is a false alarm."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from entries import site_packages

from shapewise import documents
from shapewise.commands.session import Session
from shapewise.config import Config
from shapewise.documents import UnreadableFile
from shapewise.host.errors import TracerError
from shapewise.rule_choice import RuleChoice

FOLDERS = (
    "timm/models",
    "timm/layers",
    "torchvision/models",
    "torchvision/ops",
    "transformers/models",
    "vit_pytorch",
    "x_transformers",
    "efficientnet_pytorch",
    "gpytorch",
    "nflows",
    "perceiver_pytorch",
    "performer_pytorch",
    "linformer",
    "local_attention",
    "rotary_embedding_torch",
    "segmentation_models_pytorch",
    "siren_pytorch",
    "tab_transformer_pytorch",
    "torchcrf",
    "torchdiffeq",
    "torchmetrics/functional",
    "vector_quantize_pytorch",
)
MOST_OF_TRANSFORMERS = 160


def model_files() -> list[Path]:
    """Each file of those packages that has to do with torch; of transformers every n-th model."""
    found: list[Path] = []
    for folder in FOLDERS:
        pattern = "*/modeling_*.py" if folder == "transformers/models" else "**/*.py"
        files = sorted((site_packages() / folder).glob(pattern))
        if folder == "transformers/models":
            files = files[:: max(1, len(files) // MOST_OF_TRANSFORMERS)]
        found += [file for file in files if b"torch" in file.read_bytes()]
    return found


@dataclass
class Alarms:
    """What was said of many files. `errors`: each finding of severity error; `crashes`: files without an answer."""

    files: int = 0
    facts: int = 0
    errors: list[str] = field(default_factory=list)
    crashes: list[str] = field(default_factory=list)
    others: Counter[str] = field(default_factory=Counter)
    notes: Counter[str] = field(default_factory=Counter)

    def __iadd__(self, other: Alarms) -> Alarms:
        self.files += other.files
        self.facts += other.facts
        self.errors += other.errors
        self.crashes += other.crashes
        self.others += other.others
        self.notes += other.notes
        return self

    def render(self) -> str:
        lines = [*sorted(self.errors), *(f"CRASH {crash}" for crash in sorted(self.crashes))]
        lines += [f"{count:>6}  {note}" for note, count in self.notes.most_common(10)]
        said = ", ".join(f"{count} {severity}" for severity, count in self.others.most_common())
        lines.append(
            f"{self.files} files, {self.facts} facts, {len(self.errors)} errors, {len(self.crashes)} crashes; {said}"
        )
        return "\n".join(lines)


async def check(files: Sequence[Path], session: Session) -> Alarms:
    """Check each file as `shapewise check` does."""
    found = Alarms()
    config = Config()
    for file in files:
        found.files += 1
        if not found.files % 20:
            print(f"{found.files} of {len(files)} files", file=sys.stderr, flush=True)
        shown = file.relative_to(site_packages())
        try:
            analysis = await session.analyse(documents.read(str(file)).source, config)
            checked = await session.report(analysis, config, RuleChoice.of(config))
        except (TracerError, UnreadableFile) as error:
            found.crashes.append(f"{shown}: {error}")
            print(f"CRASH {found.crashes[-1]}", file=sys.stderr, flush=True)
            continue
        found.facts += len(checked.facts)
        found.notes.update(str(note) for note in analysis.log.notes)
        for finding in checked.findings:
            found.others[finding.severity] += 1
            if finding.severity == "error":
                found.errors.append(f"{shown}:{finding.span.line} {finding.rule}: {finding.message}")
                print(found.errors[-1], file=sys.stderr, flush=True)
    return found
