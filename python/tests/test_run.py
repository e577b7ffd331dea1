"""Threads, memory, seeds, progress, Ctrl-C."""

import os
import signal
import threading

import numpy as np
import pytest

from sfg import SparseFeatureGraph
from sfg._run import n_bytes, n_threads, seed_of
from sfg.errors import InvalidOptionError


def test_the_answer_does_not_depend_on_the_number_of_threads(planted):
    first = SparseFeatureGraph(n_jobs=1).fit(planted)
    for n_jobs in (2, 5):
        other = SparseFeatureGraph(n_jobs=n_jobs).fit(planted)
        np.testing.assert_array_equal(other.kept_, first.kept_)
        np.testing.assert_array_equal(other.graph_.toarray(), first.graph_.toarray())
        assert other.certificate_.equals(first.certificate_)


def test_n_jobs_counts_as_joblib_does(monkeypatch):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    everything = n_threads(-1)
    assert n_threads(None) == 0  # the library's word for everything
    assert everything >= 1
    assert n_threads(3) == 3
    assert n_threads(-1000) == 1
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    assert n_threads(None) == 2
    with pytest.raises(InvalidOptionError):
        n_threads(0)


@pytest.mark.parametrize(
    ("text", "expected"),
    [(None, 0), (1000, 1000), ("8G", 8 * 10**9), ("1.5GiB", 3 * 2**29), ("500 MB", 5 * 10**8)],
)
def test_memory_limits_are_read_as_on_the_command_line(text, expected):
    assert n_bytes(text) == expected


@pytest.mark.parametrize("text", ["", "much", "-5", "0", "8X", "1.2.3G", "1e999"])
def test_bad_memory_limits_are_refused(text):
    with pytest.raises(ValueError, match="memory_limit"):
        n_bytes(text)


def test_random_states_of_every_kind_give_seeds():
    assert seed_of(7) == 7
    assert seed_of(np.random.RandomState(0)) == seed_of(np.random.RandomState(0))
    np.random.seed(3)
    first = seed_of(None)
    np.random.seed(3)
    assert seed_of(None) == first
    with pytest.raises(ValueError, match="negative"):
        seed_of(-1)


def test_verbose_prints_progress_to_standard_error(planted, capfd):
    SparseFeatureGraph(verbose=True).fit(planted)
    out, err = capfd.readouterr()
    assert out == ""
    assert "sfg: pursuit 100 %" in err


def test_without_verbose_nothing_is_printed(planted, capfd):
    SparseFeatureGraph().fit(planted)
    assert capfd.readouterr() == ("", "")


def test_a_function_hears_of_every_stage(planted):
    heard = []
    SparseFeatureGraph(verbose=lambda *event: heard.append(event)).fit(planted)
    assert heard
    assert all(0 <= done <= total for _, done, total in heard)
    ends = {stage for stage, done, total in heard if done == total}
    assert {"pursuit", "certify"} <= ends, ends


def test_an_error_in_the_progress_function_ends_the_work(planted):
    def fail(stage, done, total):
        raise ZeroDivisionError("from the caller")

    selector = SparseFeatureGraph(verbose=fail)
    with pytest.raises(ZeroDivisionError, match="from the caller"):
        selector.fit(planted)
    assert not hasattr(selector, "kept_")


def test_ctrl_c_ends_a_fit_with_keyboard_interrupt():
    # Large enough that the signal comes long before the end.
    X = np.asfortranarray(np.random.RandomState(0).normal(size=(200, 6000)))
    under_way = threading.Event()
    # The signal comes from outside the thread that waits for the library.
    sender = threading.Thread(
        target=lambda: (under_way.wait(), os.kill(os.getpid(), signal.SIGINT)), daemon=True
    )
    sender.start()
    selector = SparseFeatureGraph(verbose=lambda *event: under_way.set())
    # Whoever started the tests may ignore the signal.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    with pytest.raises(KeyboardInterrupt):
        selector.fit(X)
    signal.signal(signal.SIGINT, before)
    sender.join()
    assert not hasattr(selector, "kept_")
