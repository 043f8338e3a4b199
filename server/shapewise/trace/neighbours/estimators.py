"""What classes of the file are made from to be estimators of scikit-learn: nothing of it computes anything."""

from __future__ import annotations

from typing import Any

from ..unknowns.unknown import Unknown


class BaseEstimator:
    """`sklearn.base.BaseEstimator`: its options by their names."""

    def get_params(self, deep: Any = True) -> Any:
        return Unknown("the options of an estimator")

    def set_params(self, **options: Any) -> Any:
        for name, value in options.items():
            if not name.startswith("_"):
                setattr(self, name, value)
        return self


class TransformerMixin:
    """`sklearn.base.TransformerMixin`."""

    def fit_transform(self, X: Any, y: Any = None, **options: Any) -> Any:  # noqa: N803
        """Both."""
        fitted: Any = self.fit(X, **options) if y is None else self.fit(X, y, **options)  # type: ignore[attr-defined]
        return fitted.transform(X)


class ClassifierMixin:
    """`sklearn.base.ClassifierMixin`: a score is a number that data decides."""

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> Any:  # noqa: N803
        return Unknown("a score")


class RegressorMixin(ClassifierMixin):
    """`sklearn.base.RegressorMixin`."""


BASES: dict[str, Any] = {
    one.__name__: one for one in (BaseEstimator, TransformerMixin, ClassifierMixin, RegressorMixin)
}
