"""The settings of the editor extension say of the rules what their pages say."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

from shapewise.lsp.configuration import Settings, settings
from shapewise.rules.telling.pages import pages

ROOT = Path(__file__).resolve().parents[2]


def _script():
    spec = importlib.util.spec_from_file_location("settings_schema", ROOT / "client" / "settings_schema.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_package_json_has_every_rule_as_its_page_has_it():
    written = (ROOT / "package.json").read_text("utf-8")
    assert written == _script().package_with_schema(), "run `python3 dev.py settings`"


def test_every_rule_can_be_set_and_nothing_else():
    package = json.loads((ROOT / "package.json").read_text("utf-8"))
    rules = package["contributes"]["configuration"]["properties"]["shapewise.rules"]
    assert rules["properties"].keys() == pages().keys()
    assert rules["additionalProperties"] is False


def test_defaults_in_package_json_are_those_of_the_server():
    package = json.loads((ROOT / "package.json").read_text("utf-8"))
    given = {}
    for name, schema in package["contributes"]["configuration"]["properties"].items():
        _, *path, last = name.split(".")
        inner = given
        for part in path:
            inner = inner.setdefault(part, {})
        inner[last] = schema["default"]
    assert settings(given, Settings()) == Settings()


def test_nothing_that_names_a_program_comes_from_a_folder_that_is_not_trusted():
    package = json.loads((ROOT / "package.json").read_text("utf-8"))
    properties = package["contributes"]["configuration"]["properties"]
    restricted = package["capabilities"]["untrustedWorkspaces"]["restrictedConfigurations"]
    assert "shapewise.interpreter" in restricted
    assert properties["shapewise.interpreter"]["scope"] == "machine-overridable"
    for name, schema in properties.items():
        assert schema["scope"] in ("window", "resource", "machine", "machine-overridable"), name
        assert schema.get("markdownDescription") or schema.get("description"), name
