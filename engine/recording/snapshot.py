"""A snapshot: the arrays of a State, nothing else. Its digest names the bits; it comes back from disk the same."""

from __future__ import annotations

import hashlib
import io
from dataclasses import dataclass

import numpy as np

from engine.model.state import State

FORMAT = 1


def digest_of(arrays: tuple[np.ndarray, ...]) -> str:
    """BLAKE2b of the arrays' bytes in their declared order."""
    digest = hashlib.blake2b(digest_size=16)
    for array in arrays:
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


@dataclass(frozen=True)
class Snapshot:
    """A State that nobody changes any more, of the model whose digest is `model`."""

    state: State
    model: str

    @property
    def time(self) -> float:
        return float(self.state.clock[0])

    @property
    def digest(self) -> str:
        return digest_of(self.state)

    def to_bytes(self) -> bytes:
        """The snapshot as a compressed numpy archive; reading it runs no code."""
        file = io.BytesIO()
        np.savez_compressed(file, format=np.array(FORMAT), model=np.array(self.model), **self.state._asdict())
        return file.getvalue()

    @staticmethod
    def from_bytes(data: bytes) -> Snapshot:
        """What `to_bytes` wrote. ValueError if it is something else."""
        try:
            with np.load(io.BytesIO(data), allow_pickle=False) as archive:
                if int(archive["format"]) != FORMAT:
                    raise ValueError(f"a snapshot of format {int(archive['format'])} (this Carom reads {FORMAT})")
                state = State(**{name: archive[name] for name in State._fields})
                return Snapshot(state, str(archive["model"]))
        except (KeyError, OSError, EOFError) as error:
            raise ValueError(f"this is no snapshot of Carom: {error}") from error


def copy_state(state: State) -> State:
    return State(**{name: array.copy() for name, array in state._asdict().items()})
