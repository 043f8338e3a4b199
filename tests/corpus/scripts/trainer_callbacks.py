# A small Trainer in the manner of transformers: arguments, collator, callbacks, metrics
import inspect
import json
import math
import os
import random
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple, Union

import numpy as np
import torch
from torch import nn
from torch.optim import AdamW
from torch.optim.lr_scheduler import LambdaLR
from torch.utils.data import DataLoader, Dataset, RandomSampler, SequentialSampler


def set_seed(seed: int):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


class EvalPrediction(NamedTuple):
    predictions: np.ndarray
    label_ids: np.ndarray


class TrainOutput(NamedTuple):
    global_step: int
    training_loss: float
    metrics: Dict[str, float]


@dataclass
class TrainingArguments:
    output_dir: str = field(metadata={"help": "Where to write"})
    per_device_train_batch_size: int = 8
    per_device_eval_batch_size: int = 16
    gradient_accumulation_steps: int = 2
    learning_rate: float = 5e-4
    weight_decay: float = 0.01
    max_grad_norm: float = 1.0
    num_train_epochs: float = 2.0
    warmup_ratio: float = 0.1
    label_smoothing_factor: float = 0.1
    logging_steps: int = 4
    seed: int = 42
    dataloader_drop_last: bool = False
    device: str = field(default_factory=lambda: "cuda" if torch.cuda.is_available() else "cpu")

    @property
    def train_batch_size(self) -> int:
        return self.per_device_train_batch_size * max(1, torch.cuda.device_count())


@dataclass
class TrainerState:
    epoch: float = 0.0
    global_step: int = 0
    max_steps: int = 0
    log_history: List[Dict[str, float]] = field(default_factory=list)


class TrainerCallback:
    def on_step_end(self, args, state, **kwargs):
        pass

    def on_evaluate(self, args, state, metrics, **kwargs):
        pass


class BestKeeper(TrainerCallback):
    def __init__(self, key="accuracy"):
        self.key, self.best = key, -math.inf

    def on_evaluate(self, args, state, metrics, model=None, **kwargs):
        if metrics[f"eval_{self.key}"] > self.best:
            self.best = metrics[f"eval_{self.key}"]
            torch.save(model.state_dict(), os.path.join(args.output_dir, "best.bin"))


class CallbackHandler:
    def __init__(self, callbacks):
        self.callbacks = [cb() if isinstance(cb, type) else cb for cb in callbacks]

    def call_event(self, event, *args, **kwargs):
        for callback in self.callbacks:
            getattr(callback, event)(*args, **kwargs)


# ------------------------------------------------------------------ data

WORDS = ("[PAD] [CLS] [SEP] good bad fine awful great poor the a movie film plot actor was is very not".split())


class Tokenizer:
    pad_token_id = 0
    model_max_length = 16

    def __init__(self, vocab):
        self.vocab = {w: i for i, w in enumerate(vocab)}

    def __len__(self):
        return len(self.vocab)

    def __call__(self, text, truncation=True, max_length=None):
        max_length = max_length or self.model_max_length
        ids = [self.vocab["[CLS]"]] + [self.vocab.get(w, 0) for w in text.split()] + [self.vocab["[SEP]"]]
        if truncation:
            ids = ids[:max_length]
        return {"input_ids": ids, "attention_mask": [1] * len(ids)}

    def pad(self, features, padding=True, return_tensors="pt"):
        longest = max(len(f["input_ids"]) for f in features)
        batch = {}
        for key in features[0]:
            if key in ("input_ids", "attention_mask"):
                batch[key] = [f[key] + [0] * (longest - len(f[key])) for f in features]
            else:
                batch[key] = [f[key] for f in features]
        return {k: torch.tensor(v) for k, v in batch.items()} if return_tensors == "pt" else batch


class ReviewDataset(Dataset):
    def __init__(self, n, tokenizer, seed=0):
        rng = random.Random(seed)
        self.examples = []
        for _ in range(n):
            text = " ".join(rng.choices(WORDS[3:], k=rng.randint(3, 10)))
            label = int(sum(text.count(w) for w in ("good", "fine", "great")) > text.count("bad"))
            self.examples.append({**tokenizer(text), "labels": label, "text": text})

    def __len__(self):
        return len(self.examples)

    def __getitem__(self, i):
        return self.examples[i]


@dataclass
class DataCollatorWithPadding:
    tokenizer: Tokenizer
    padding: Union[bool, str] = True

    def __call__(self, features: List[Dict[str, Any]]) -> Dict[str, torch.Tensor]:
        batch = self.tokenizer.pad(features, padding=self.padding, return_tensors="pt")
        if "label" in batch:
            batch["labels"] = batch.pop("label")
        return batch


# ------------------------------------------------------------------ model


class ModelOutput(dict):
    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name)

    def to_tuple(self):
        return tuple(self.values())


class Classifier(nn.Module):
    def __init__(self, vocab_size, hidden_size=32, num_hidden_layers=2, num_heads=4, num_labels=2):
        super().__init__()
        self.num_labels = num_labels
        self.embeddings = nn.Embedding(vocab_size, hidden_size, padding_idx=0)
        self.position_embeddings = nn.Embedding(64, hidden_size)
        layer = nn.TransformerEncoderLayer(hidden_size, num_heads, 4 * hidden_size, 0.1, activation="gelu",
                                           batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, num_hidden_layers, enable_nested_tensor=False)
        self.pooler = nn.Sequential(nn.Linear(hidden_size, hidden_size), nn.Tanh())
        self.classifier = nn.Linear(hidden_size, num_labels)

    def forward(self, input_ids, attention_mask=None, labels=None):
        bsz, seq_len = input_ids.shape
        if attention_mask is None:
            attention_mask = torch.ones(bsz, seq_len, device=input_ids.device)
        position_ids = torch.arange(seq_len, device=input_ids.device).unsqueeze(0).expand(bsz, -1)
        hidden = self.embeddings(input_ids) + self.position_embeddings(position_ids)
        hidden = self.encoder(hidden, src_key_padding_mask=attention_mask == 0)
        pooled = self.pooler(hidden[:, 0])
        logits = self.classifier(pooled)
        out = ModelOutput(logits=logits)
        if labels is not None:
            out["loss"] = nn.functional.cross_entropy(logits.view(-1, self.num_labels), labels.view(-1))
        return out


# ------------------------------------------------------------------ trainer


class LabelSmoother:
    def __init__(self, epsilon=0.1, ignore_index=-100):
        self.epsilon, self.ignore_index = epsilon, ignore_index

    def __call__(self, logits, labels):
        log_probs = -nn.functional.log_softmax(logits, dim=-1)
        if labels.dim() == log_probs.dim() - 1:
            labels = labels.unsqueeze(-1)
        padding_mask = labels.eq(self.ignore_index)
        labels = torch.clamp(labels, min=0)
        nll_loss = log_probs.gather(dim=-1, index=labels)
        smoothed_loss = log_probs.sum(dim=-1, keepdim=True, dtype=torch.float32)
        nll_loss.masked_fill_(padding_mask, 0.0)
        smoothed_loss.masked_fill_(padding_mask, 0.0)
        num_active_elements = padding_mask.numel() - padding_mask.long().sum()
        nll_loss = nll_loss.sum() / num_active_elements
        smoothed_loss = smoothed_loss.sum() / (num_active_elements * log_probs.shape[-1])
        return (1 - self.epsilon) * nll_loss + self.epsilon * smoothed_loss


def get_parameter_names(model, forbidden_layer_types):
    result = []
    for name, child in model.named_children():
        result += [
            f"{name}.{n}"
            for n in get_parameter_names(child, forbidden_layer_types)
            if not isinstance(child, tuple(forbidden_layer_types))
        ]
    result += list(model._parameters.keys())
    return result


def get_linear_schedule_with_warmup(optimizer, num_warmup_steps, num_training_steps, last_epoch=-1):
    def lr_lambda(current_step: int):
        if current_step < num_warmup_steps:
            return float(current_step) / float(max(1, num_warmup_steps))
        return max(0.0, float(num_training_steps - current_step) / float(max(1, num_training_steps - num_warmup_steps)))

    return LambdaLR(optimizer, lr_lambda, last_epoch)


def nested_numpify(tensors):
    if isinstance(tensors, (list, tuple)):
        return type(tensors)(nested_numpify(t) for t in tensors)
    if isinstance(tensors, Mapping):
        return type(tensors)({k: nested_numpify(t) for k, t in tensors.items()})
    return tensors.cpu().numpy()


def nested_concat(tensors, new_tensors):
    if isinstance(tensors, (list, tuple)):
        return type(tensors)(nested_concat(t, n) for t, n in zip(tensors, new_tensors))
    return torch.cat((tensors, new_tensors), dim=0)


class Trainer:
    def __init__(
        self,
        model: Optional[nn.Module] = None,
        args: Optional[TrainingArguments] = None,
        data_collator: Optional[Callable] = None,
        train_dataset: Optional[Dataset] = None,
        eval_dataset: Optional[Dataset] = None,
        compute_metrics: Optional[Callable[[EvalPrediction], Dict]] = None,
        callbacks: Optional[List[TrainerCallback]] = None,
        optimizers: Tuple[Optional[torch.optim.Optimizer], Optional[LambdaLR]] = (None, None),
    ):
        self.args = args
        set_seed(args.seed)
        self.model = model.to(args.device)
        self.data_collator = data_collator
        self.train_dataset = train_dataset
        self.eval_dataset = eval_dataset
        self.compute_metrics = compute_metrics
        self.optimizer, self.lr_scheduler = optimizers
        self.callback_handler = CallbackHandler(callbacks or [])
        self.state = TrainerState()
        self.label_smoother = LabelSmoother(args.label_smoothing_factor) if args.label_smoothing_factor != 0 else None
        self._signature_columns = None

    def _remove_unused(self, features):
        if self._signature_columns is None:
            signature = inspect.signature(self.model.forward)
            self._signature_columns = list(signature.parameters.keys())
        return [{k: v for k, v in f.items() if k in self._signature_columns} for f in features]

    def _collate(self, features):
        return self.data_collator(self._remove_unused(features))

    def get_train_dataloader(self) -> DataLoader:
        return DataLoader(
            self.train_dataset,
            batch_size=self.args.train_batch_size,
            sampler=RandomSampler(self.train_dataset),
            collate_fn=self._collate,
            drop_last=self.args.dataloader_drop_last,
        )

    def get_eval_dataloader(self, eval_dataset: Optional[Dataset] = None) -> DataLoader:
        eval_dataset = eval_dataset if eval_dataset is not None else self.eval_dataset
        return DataLoader(
            eval_dataset,
            batch_size=self.args.per_device_eval_batch_size,
            sampler=SequentialSampler(eval_dataset),
            collate_fn=self._collate,
        )

    def create_optimizer_and_scheduler(self, num_training_steps: int):
        if self.optimizer is None:
            decay_parameters = get_parameter_names(self.model, [nn.LayerNorm])
            decay_parameters = [name for name in decay_parameters if "bias" not in name]
            optimizer_grouped_parameters = [
                {
                    "params": [p for n, p in self.model.named_parameters() if n in decay_parameters],
                    "weight_decay": self.args.weight_decay,
                },
                {
                    "params": [p for n, p in self.model.named_parameters() if n not in decay_parameters],
                    "weight_decay": 0.0,
                },
            ]
            self.optimizer = AdamW(optimizer_grouped_parameters, lr=self.args.learning_rate)
        if self.lr_scheduler is None:
            warmup_steps = math.ceil(num_training_steps * self.args.warmup_ratio)
            self.lr_scheduler = get_linear_schedule_with_warmup(self.optimizer, warmup_steps, num_training_steps)

    def _prepare_input(self, data):
        if isinstance(data, Mapping):
            return type(data)({k: self._prepare_input(v) for k, v in data.items()})
        elif isinstance(data, (tuple, list)):
            return type(data)(self._prepare_input(v) for v in data)
        elif isinstance(data, torch.Tensor):
            return data.to(device=self.args.device)
        return data

    def compute_loss(self, model, inputs, return_outputs=False):
        if self.label_smoother is not None and "labels" in inputs:
            labels = inputs.pop("labels")
        else:
            labels = None
        outputs = model(**inputs)
        if labels is not None:
            loss = self.label_smoother(outputs["logits"], labels)
        else:
            loss = outputs["loss"] if isinstance(outputs, dict) else outputs[0]
        return (loss, outputs) if return_outputs else loss

    def training_step(self, model: nn.Module, inputs: Dict[str, Union[torch.Tensor, Any]]) -> torch.Tensor:
        model.train()
        inputs = self._prepare_input(inputs)
        loss = self.compute_loss(model, inputs)
        if self.args.gradient_accumulation_steps > 1:
            loss = loss / self.args.gradient_accumulation_steps
        loss.backward()
        return loss.detach()

    def train(self):
        train_dataloader = self.get_train_dataloader()
        num_update_steps_per_epoch = max(len(train_dataloader) // self.args.gradient_accumulation_steps, 1)
        max_steps = math.ceil(self.args.num_train_epochs * num_update_steps_per_epoch)
        self.create_optimizer_and_scheduler(num_training_steps=max_steps)
        self.state.max_steps = max_steps
        tr_loss = torch.tensor(0.0).to(self.args.device)
        self._total_loss_scalar, self._globalstep_last_logged = 0.0, 0
        model = self.model
        model.zero_grad()
        for epoch in range(math.ceil(self.args.num_train_epochs)):
            for step, inputs in enumerate(train_dataloader):
                tr_loss_step = self.training_step(model, inputs)
                if torch.isnan(tr_loss_step) or torch.isinf(tr_loss_step):
                    tr_loss += tr_loss / (1 + self.state.global_step - self._globalstep_last_logged)
                else:
                    tr_loss += tr_loss_step
                if (step + 1) % self.args.gradient_accumulation_steps == 0:
                    if self.args.max_grad_norm is not None and self.args.max_grad_norm > 0:
                        grad_norm = nn.utils.clip_grad_norm_(model.parameters(), self.args.max_grad_norm)
                    self.optimizer.step()
                    self.lr_scheduler.step()
                    model.zero_grad()
                    self.state.global_step += 1
                    self.state.epoch = epoch + (step + 1) / len(train_dataloader)
                    self.callback_handler.call_event("on_step_end", self.args, self.state)
                    if self.state.global_step % self.args.logging_steps == 0:
                        self._log(tr_loss, grad_norm)
            self.evaluate()
        self._total_loss_scalar += tr_loss.item()
        return TrainOutput(self.state.global_step, self._total_loss_scalar / self.state.global_step, {})

    def _log(self, tr_loss, grad_norm):
        logs = {}
        tr_loss_scalar = tr_loss.mean().item()
        tr_loss -= tr_loss
        steps = self.state.global_step - self._globalstep_last_logged
        logs["loss"] = round(tr_loss_scalar / steps, 4)
        logs["grad_norm"] = grad_norm.detach().item() if isinstance(grad_norm, torch.Tensor) else grad_norm
        logs["learning_rate"] = self.lr_scheduler.get_last_lr()[0]
        self._total_loss_scalar += tr_loss_scalar
        self._globalstep_last_logged = self.state.global_step
        self.state.log_history.append({**logs, "step": self.state.global_step})

    def prediction_step(self, model, inputs):
        inputs = self._prepare_input(inputs)
        has_labels = inputs.get("labels") is not None
        labels = inputs["labels"] if has_labels else None
        with torch.no_grad():
            loss, outputs = self.compute_loss(model, inputs, return_outputs=True)
            loss = loss.mean().detach()
            logits = tuple(v for k, v in outputs.items() if k not in ["loss"])
        if len(logits) == 1:
            logits = logits[0]
        return (loss, logits, labels)

    def evaluation_loop(self, dataloader: DataLoader, metric_key_prefix: str = "eval"):
        model = self.model
        model.eval()
        losses_host, preds_host, labels_host = None, None, None
        for step, inputs in enumerate(dataloader):
            observed_batch_size = len(inputs["input_ids"])
            loss, logits, labels = self.prediction_step(model, inputs)
            losses = loss.repeat(observed_batch_size)
            losses_host = losses if losses_host is None else torch.cat((losses_host, losses), dim=0)
            preds_host = logits if preds_host is None else nested_concat(preds_host, logits)
            labels_host = labels if labels_host is None else nested_concat(labels_host, labels)
        all_losses = nested_numpify(losses_host)
        all_preds = nested_numpify(preds_host)
        all_labels = nested_numpify(labels_host)
        metrics = self.compute_metrics(EvalPrediction(predictions=all_preds, label_ids=all_labels))
        metrics["loss"] = all_losses.mean().item()
        for key in list(metrics.keys()):
            if not key.startswith(f"{metric_key_prefix}_"):
                metrics[f"{metric_key_prefix}_{key}"] = metrics.pop(key)
        return all_preds, metrics

    def evaluate(self, eval_dataset=None):
        _, metrics = self.evaluation_loop(self.get_eval_dataloader(eval_dataset))
        self.callback_handler.call_event("on_evaluate", self.args, self.state, metrics, model=self.model)
        return metrics


def compute_metrics(p: EvalPrediction):
    preds = p.predictions[0] if isinstance(p.predictions, tuple) else p.predictions
    preds = np.argmax(preds, axis=1)
    tp = np.sum((preds == 1) & (p.label_ids == 1))
    fp = np.sum((preds == 1) & (p.label_ids == 0))
    return {"accuracy": (preds == p.label_ids).astype(np.float32).mean().item(),
            "precision": float(tp / max(tp + fp, 1))}


def main():
    with tempfile.TemporaryDirectory() as output_dir:
        args = TrainingArguments(output_dir=output_dir)
        tokenizer = Tokenizer(WORDS)
        train_ds, eval_ds = ReviewDataset(53, tokenizer), ReviewDataset(21, tokenizer, seed=1)
        model = Classifier(len(tokenizer))
        trainer = Trainer(
            model=model,
            args=args,
            data_collator=DataCollatorWithPadding(tokenizer),
            train_dataset=train_ds,
            eval_dataset=eval_ds,
            compute_metrics=compute_metrics,
            callbacks=[BestKeeper],
        )
        result = trainer.train()
        print(result.training_loss, json.dumps(trainer.state.log_history[-1]), asdict(args)["seed"])
        state_dict = torch.load(os.path.join(output_dir, "best.bin"))
        model.load_state_dict(state_dict)
        preds, metrics = trainer.evaluation_loop(trainer.get_eval_dataloader())
        print(preds.shape, metrics)


if __name__ == "__main__":
    main()
