"""Tables as files: what is read back is what was written, to the bit, and nothing half stays of what went wrong."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from arro3.io import read_parquet

import app.simulation.table_file as table_file_module
from app.simulation.files import TABLES
from app.simulation.table_file import table_file, write_table

HEADER = ("time [s]", "body", "x [m]")
PARTS = (
    ([0.1 + 0.2, 1e-300], ["ball", "a, \"b\" – é"], [np.nan, -0.0]),
    ([np.pi], ["ball"], [np.inf]),
)  # fmt: skip


def read_table(path: Path) -> dict[str, list[Any]]:
    """The columns of a file by name."""
    if path.suffix == ".parquet":
        table = read_parquet(path).read_all()
        return {name: table[name].to_pylist() for name in table.column_names}
    with path.open(encoding="utf-8", newline="") as file:
        header, *rows = list(csv.reader(file))
    columns: list[list[Any]] = [list(column) for column in zip(*rows)] or [[] for _ in header]
    return {name: values if name == "body" else list(map(float, values)) for name, values in zip(header, columns)}


@pytest.mark.parametrize("ending", TABLES)
def test_what_is_read_back_is_what_was_written(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"table{ending}"
    with table_file(path, HEADER, texts=("body",)) as write:
        for part in PARTS:
            write(part)
    told = read_table(path)
    assert list(told) == list(HEADER)
    assert told["body"] == ["ball", "a, \"b\" – é", "ball"]  # fmt: skip
    for name, place in (("time [s]", 0), ("x [m]", 2)):
        written = np.concatenate([part[place] for part in PARTS])
        assert np.array(told[name]).tobytes() == written.tobytes(), "every bit"
    assert os.listdir(tmp_path) == [path.name]


@pytest.mark.parametrize("ending", TABLES)
def test_a_table_without_rows_has_its_columns(ending: str, tmp_path: Path) -> None:
    write_table(tmp_path / f"none{ending}", HEADER, [[], [], []], texts=("body",))
    assert read_table(tmp_path / f"none{ending}") == {name: [] for name in HEADER}


@pytest.mark.parametrize("ending", TABLES)
def test_many_parts_come_in_order(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"long{ending}"
    with table_file(path, ("k",)) as write:
        for k in range(3000):
            write([np.arange(100.0 * k, 100.0 * (k + 1))])
    assert read_table(path)["k"] == np.arange(300_000.0).tolist()


@pytest.mark.parametrize("ending", TABLES)
def test_nothing_stays_of_a_table_that_is_given_up(ending: str, tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), table_file(tmp_path / f"half{ending}", HEADER, texts=("body",)) as write:
        write(PARTS[0])
        raise KeyboardInterrupt
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("ending", TABLES)
def test_a_full_disk_is_told_and_nobody_waits(ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """/dev/full takes nothing, as a full disk does."""

    @contextmanager
    def full(path: Path) -> Iterator[Path]:
        yield Path("/dev/full")

    monkeypatch.setattr(table_file_module, "whole_file", full)
    rng = np.random.default_rng(0)
    with pytest.raises(OSError, match="No space left"), table_file(tmp_path / f"x{ending}", ("x",)) as write:
        for _ in range(100):
            write([rng.random(10_000)])
