"""FastAPI with a model in memory, and a shelf that keeps the model and the events, or nothing."""

import shelve
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from pydantic import BaseModel

from costream import OnlineClassifier, dumps


class Event(BaseModel):
    """What is to be decided."""

    id: str
    features: dict[str, float]


class Label(BaseModel):
    """What an event turned out to be."""

    id: str
    label: int


def application(folder: Path, model: OnlineClassifier, keeps: bool) -> FastAPI:
    """The application; one that keeps nothing takes no labels."""
    app = FastAPI()

    @app.post("/v1/score")
    async def score(event: Event) -> dict[str, Any]:
        found = model.score_one(event.features)
        probability = model.predict_proba_one(event.features)
        answer = {"id": event.id, "flag": found >= 0.0, "score": found, "probability": probability}
        if keeps:
            shelf["model"] = dumps(model)
            shelf[f"#{event.id}"] = {"features": event.features, "answer": answer}
        return answer

    @app.post("/v1/labels")
    async def learn(label: Label) -> dict[str, Any]:
        model.learn_one(shelf[f"#{label.id}"]["features"], label.label)
        shelf["model"] = dumps(model)
        del shelf[f"#{label.id}"]
        return {"id": label.id, "status": "learnt"}

    if keeps:
        folder.mkdir(parents=True, exist_ok=True)
        shelf = shelve.open(str(folder / "shelf"))  # noqa: SIM115
    return app
