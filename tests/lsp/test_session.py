"""Which text is analysed when, and what becomes of the answer. In process, with a tracer made up."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from lsprotocol import types
from pygls.workspace import PositionCodec

from shapewise.analysis import Analysis, Tracer
from shapewise.call_sites import CallSites
from shapewise.host.errors import CannotStart, SetAside, TooSlow, TracerDied
from shapewise.host.process import Early
from shapewise.lsp import asking, session, under_way
from shapewise.lsp.documents import Document
from shapewise.lsp.session import Session
from shapewise.lsp.texts import Text
from shapewise.repair import Repaired
from shapewise.vocabulary.events import STOPPED, UNFINISHED, Bound, Frame, Log, Modes, Tensor
from shapewise.vocabulary.facts import Fact, TensorFact
from shapewise.vocabulary.span import Span
from shapewise.workspace.project import Project

CODEC = PositionCodec(types.PositionEncodingKind.Utf16)
HEAD = "import torch\n"


class Numbers:
    """A tracer for which `x = 3` is a tensor of shape [3]."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.before: Callable[[str], object] = lambda text: None
        self.knows: Callable[[str], bool] = lambda text: True
        self.seconds = self.seconds_on_a_card = 0.0
        self.on_cards: list[str] = []
        self.stopped: list[str] = []
        self.ended = asyncio.Event()
        self.begun: Callable[[str], Early | None] = lambda path: None

    def stop(self, path: str) -> None:
        self.stopped.append(path)
        self.ended.set()

    async def trace(
        self, path: str, repaired: Repaired, called: Sequence[str] = (), card: bool = False
    ) -> Log:
        (self.on_cards if card else self.texts).append(repaired.text)
        self.ended.clear()
        if early := self.begun(path):
            await early(self._log(path, repaired.text.split("\n")[:2]))
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self.ended.wait(), self.seconds_on_a_card if card else self.seconds)
        self.before(repaired.text)
        return self._log(path, repaired.text.split("\n") if self.knows(repaired.text) else [])

    def _log(self, path: str, lines: Sequence[str]) -> Log:
        events = []
        for number, line in enumerate(lines, start=1):
            name, _, value = line.partition(" = ")
            if value.strip().isdigit():
                size = int(value)
                tensor = Tensor(number, (size,), "float32", "cpu", (1,), True, False, True, number, 0, 4)
                span = Span(number, 0, number, len(name))
                events.append(Bound(0, span, "binding", name, tensor, Modes()))
        frames = (Frame(0, path, "<module>"),)
        asks = any("cuda" in line for line in lines)
        return Log(path, "3.11", "2.13", self.seconds, frames, tuple(events), asks_for_card=asks)


class Listener:
    def __init__(self) -> None:
        self.problems: list[str | None] = []
        self.changes: list[bool] = []

    def shown(self, document: Document, hints_changed: bool) -> None:
        self.changes.append(hints_changed)

    def judged(self, document: Document) -> None:
        pass

    def began(self, document: Document) -> None:
        pass

    def ended(self, document: Document, problem: str | None) -> None:
        self.problems.append(problem)


class Elsewhere(CallSites):
    """Another file that shows `y` on line 2, once it has been traced for a while."""

    def __init__(self) -> None:
        super().__init__(Project())
        self.began = 0
        self.seconds = 0.0

    async def refined(self, analysis: Analysis, tracer: Tracer, search: bool = True) -> Analysis:
        self.began += 1
        self.is_stopped = False
        for _ in range(round(self.seconds * 100)):
            if not self.is_stopped:
                await asyncio.sleep(0.01)
        fact = Fact("binding", "f", "y", Span(2, 0, 2, 1), TensorFact((1,)))
        return replace(analysis, facts=(*analysis.facts, fact), called=("f",), seconds_elsewhere=self.seconds)


class Desk:
    """A session, and one file open in it."""

    def __init__(self, text: str, elsewhere: Elsewhere | None = None) -> None:
        self.tracer = Numbers()
        self.listener = Listener()
        self.session = Session(self.tracer, self.listener, call_sites=elsewhere, stop=self.tracer.stop)
        self.text = Text("file:///project/a.py", HEAD + text, position_codec=CODEC)
        self.document = Document(self.text.uri, "/project/a.py", lambda: (self.text,))
        self.session.open(self.document)

    def type(self, line: int, column: int, text: str, over: int = 0) -> None:
        """Write on a line (from 0, HEAD is 0), over some characters."""
        self.text.apply_change(
            types.TextDocumentContentChangePartial(
                types.Range(types.Position(line, column), types.Position(line, column + over)), text
            )
        )
        self.session.touch(self.document)

    def hints(self) -> dict[str, object]:
        return {
            f"{fact.span.line}:{fact.name}": fact.value.shape[0]
            for fact in self.text.facts
            if fact.kind == "binding"
        }

    async def settled(self) -> None:
        assert await self.document.settled(5)


@pytest.fixture
async def desk():
    desks = []

    def make(text: str, elsewhere: Elsewhere | None = None) -> Desk:
        desks.append(Desk(text, elsewhere))
        return desks[-1]

    yield make
    for one in desks:
        one.session.end()


async def test_a_file_is_analysed_when_it_is_opened(desk):
    one = desk("x = 3\n")
    await one.settled()
    assert one.hints() == {"2:x": 3}
    assert one.listener.changes == [True]


@pytest.mark.parametrize("why", [UNFINISHED, STOPPED])
async def test_what_had_too_little_time_is_traced_on_while_nobody_edits(desk, why):
    one = desk("x = 3\ny = 4\nz = 5\n")
    whole = one.tracer._log

    # A line more each time, and there is always one more to come; the last lines never do.
    def more(path, lines):
        log = whole(path, lines[: 1 + len(one.tracer.texts)])
        return replace(log, notes=(why,))

    one.tracer._log = more
    await until(lambda: len(one.hints()) == 3)
    assert one.hints() == {"2:x": 3, "3:y": 4, "4:z": 5}
    await asyncio.sleep(0.3)
    assert len(one.tracer.texts) == 6, "once twice and four times the patience tell nothing new, that is all"


async def test_what_needs_more_time_than_an_edit_has_gets_it_while_nobody_edits(desk):
    one = desk("x = 3\n")
    whole, patience = one.tracer._log, []

    def cut(path, lines):
        patience.append(one.session.patience(path))
        return replace(whole(path, lines), notes=(UNFINISHED,))

    one.tracer._log = cut
    await until(lambda: len(patience) == 4)
    assert patience == [1.5, 2, 4, 8]
    await asyncio.sleep(0.1)
    one.type(1, 5, "1")
    await until(lambda: len(patience) == 8)
    assert patience[4:] == [1.5, 2, 4, 8]


async def test_what_nobody_waits_for_is_stopped_by_an_edit_at_any_time(desk):
    one = desk("x = 3\n")
    whole = one.tracer._log
    one.tracer._log = lambda path, lines: replace(whole(path, lines), notes=(UNFINISHED,))
    await one.settled()
    one.tracer.seconds = 5.0
    await until(lambda: len(one.tracer.texts) > 1)
    one.tracer._log, one.tracer.seconds = whole, 0.0
    one.type(1, 5, "1")
    await until(lambda: one.hints() == {"2:x": 31})
    assert one.tracer.stopped


async def test_hints_do_not_wait_for_the_rules(desk, monkeypatch):
    asked = threading.Event()
    monkeypatch.setattr(asking, "judged", lambda analysis, is_stale: asked.wait(5) and analysis)
    one = desk("x = 3\n")
    assert await one.document.shown(5)
    assert one.hints() == {"2:x": 3}
    assert not await one.document.settled(0.05)
    asked.set()
    await one.settled()


async def test_rules_that_are_asked_of_an_older_text_are_left(desk, monkeypatch):
    heard: list[bool] = []

    def judged(analysis, is_stale):
        while not is_stale() and "4" not in analysis.source.text:
            time.sleep(0.005)
        heard.append(is_stale())
        return analysis

    monkeypatch.setattr(asking, "judged", judged)
    monkeypatch.setattr(session, "_BEFORE_RULES", 0.0)
    one = desk("x = 3\n")
    assert await one.document.shown(5)
    await asyncio.sleep(0.1)
    one.type(1, 5, "4")
    await one.settled()
    assert heard == [True, False]


async def test_what_is_known_of_a_file_just_opened_is_shown_before_its_trace_is_over(desk):
    one = desk("x = 3\ny = 4\n")
    one.tracer.begun = lambda path: one.session.early(path)
    one.tracer.seconds = 0.1
    assert await one.document.has_hints(0.09)
    assert one.hints() == {"2:x": 3}
    assert not await one.document.shown(0.001)
    assert not one.document.is_current and one.listener.changes == [True]
    await one.settled()
    assert one.hints() == {"2:x": 3, "3:y": 4}
    one.type(2, 5, "4")
    assert not await one.document.shown(0.05)
    await one.settled()
    assert one.hints() == {"2:x": 3, "3:y": 44}


async def test_what_is_known_so_far_of_a_text_that_is_no_longer_there_is_not_shown(desk):
    one = desk("x = 3\ny = 4\n")
    one.tracer.seconds = 0.1
    one.tracer.begun = lambda path: one.type(1, 5, "3") or one.session.early(path)
    assert not await one.document.has_hints(0.05)
    assert one.hints() == {}


async def test_an_edit_of_a_comment_is_answered_at_once(desk):
    one = desk("x = 3\n# comment\ny = 4\n")
    await one.settled()
    one.tracer.before = lambda text: pytest.fail("there is nothing to trace")
    one.type(2, 9, "\n# on two lines\n")
    assert await one.document.shown(0.005)
    assert one.hints() == {"2:x": 3, "6:y": 4}
    assert not await one.document.settled(0.005)
    await one.settled()
    assert one.hints() == {"2:x": 3, "6:y": 4}
    one.type(1, 4, "3")
    assert not await one.document.shown(0.005)


async def test_a_name_that_was_edited_and_is_back_is_waited_for(desk):
    one = desk("x = 3\ny = 4\n")
    await one.settled()
    one.tracer.seconds = 0.1
    one.type(1, 1, "x")
    one.type(1, 1, "", over=1)
    assert one.hints() == {"3:y": 4}
    assert not await one.document.shown(0.005)
    assert await one.document.shown(5)
    assert one.hints() == {"2:x": 3, "3:y": 4}


async def test_edits_without_a_pause_are_one_trace(desk):
    one = desk("x = 3\n")
    await one.settled()
    for digit in "4567":
        one.type(1, 5, digit)
    await one.settled()
    assert one.hints() == {"2:x": 37654}
    assert len(one.tracer.texts) == 2


async def test_edits_that_never_pause_are_traced_all_the_same(desk):
    one = desk("x = 3\n")
    await one.settled()
    for _ in range(20):
        one.type(1, 5, "1")
        await asyncio.sleep(0.015)
    assert len(one.tracer.texts) > 1


async def test_a_trace_of_a_text_that_is_gone_ends(desk):
    one = desk("x = 3\n")
    one.tracer.seconds = 0.5
    await one.settled()
    began = time.monotonic()
    one.type(1, 5, "1")
    await asyncio.sleep(0.15)
    one.type(1, 5, "2")
    await one.settled()
    assert one.hints() == {"2:x": 321}
    assert one.tracer.stopped == ["/project/a.py"]
    assert time.monotonic() - began < 1.0


async def test_a_trace_that_is_nearly_done_goes_on(desk):
    one = desk("x = 3\n")
    one.tracer.seconds = 0.3
    await one.settled()
    one.type(1, 5, "1")
    await asyncio.sleep(0.25)
    one.type(1, 5, "2")
    await one.settled()
    assert one.tracer.stopped == []
    assert one.hints() == {"2:x": 321}


async def test_who_never_pauses_is_not_left_without_hints(desk, monkeypatch):
    monkeypatch.setattr(under_way, "_LONGEST_WITHOUT", 0.3)
    one = desk("x = 3\n")
    one.tracer.seconds = 0.2
    await one.settled()
    heard = len(one.listener.changes)
    for _ in range(30):
        one.type(1, 5, "1")
        await asyncio.sleep(0.03)
    assert len(one.listener.changes) > heard
    assert one.tracer.stopped


async def test_while_nobody_looks_little_is_done(desk):
    elsewhere = Elsewhere()
    one = desk("x = 3\n", elsewhere)
    one.session.look(is_away=True)
    await asyncio.sleep(0.5)
    assert one.tracer.texts == [] and elsewhere.began == 0
    one.session.look(is_away=False)
    await one.settled()
    assert one.hints() == {"2:x": 3}
    await asyncio.sleep(0.6)
    assert elsewhere.began == 1


async def test_what_is_written_while_nobody_looks_is_traced_in_the_end(desk, monkeypatch):
    monkeypatch.setattr(session, "_PAUSE_AWAY", 0.1)
    one = desk("x = 3\n")
    await one.settled()
    one.session.look(is_away=True)
    one.type(1, 5, "1")
    await one.settled()
    assert one.hints() == {"2:x": 31}


async def test_a_card_is_asked_for_after_the_hints(desk):
    one = desk("x = 3\ny = 'cuda'\n")
    one.tracer.seconds_on_a_card = 5
    assert await one.document.shown(2)
    assert one.hints() == {"2:x": 3}
    assert not await one.document.settled(0.05)
    one.type(1, 5, "1")
    one.tracer.seconds_on_a_card = 0
    await one.settled()
    assert one.hints() == {"2:x": 31}
    assert [len(text) for text in one.tracer.on_cards] == [len(text) for text in one.tracer.texts]


async def test_what_comes_late_is_moved_to_where_its_names_are_now(desk):
    one = desk("x = 3\ny = 4\n")
    one.tracer.seconds = 0.1
    await asyncio.sleep(0.06)
    one.type(0, 0, "# a line above\n")
    one.type(3, 0, "long_", 0)
    assert one.hints() == {}
    await asyncio.sleep(0.1)
    assert one.hints() == {"3:x": 3}  # the first answer: y has been touched since
    assert not one.document.is_current
    await one.settled()
    assert one.hints() == {"3:x": 3, "4:long_y": 4}


async def test_hints_stay_and_move_while_a_trace_is_under_way(desk):
    one = desk("x = 3\ny = 4\n")
    await one.settled()
    one.tracer.seconds = 0.2
    one.type(1, 0, "\n\n")
    assert one.hints() == {"4:x": 3, "5:y": 4}


@pytest.mark.parametrize("error", [TooSlow("too slow"), CannotStart("no torch"), SetAside("set aside")])
async def test_without_a_trace_the_hints_before_the_edits_stay(desk, error):
    one = desk("x = 3\ny = 4\nz = 5\n")
    await one.settled()

    def fail(text: str) -> None:
        raise error

    one.tracer.before = fail
    one.type(2, 5, "4")
    assert one.hints() == {"2:x": 3, "3:y": 4, "4:z": 5}
    await one.settled()
    assert one.hints() == {"2:x": 3}
    assert one.listener.problems == [None, str(error)]
    one.tracer.before = lambda text: None
    one.type(1, 5, "3")
    await one.settled()
    assert one.hints() == {"2:x": 33, "3:y": 44, "4:z": 5}
    assert one.listener.problems[-1] is None


async def test_what_had_no_tracer_is_analysed_once_there_is_one(desk):
    one = desk("x = 3\n")

    def refuse(text: str) -> None:
        raise CannotStart("no torch")

    one.tracer.before = refuse
    text = Text("file:///project/b.py", f"{HEAD}y = 4\n", position_codec=CODEC)
    other = Document(text.uri, text.path, lambda: (text,))
    one.session.open(other)
    await one.settled()
    assert await other.settled(5)
    assert one.listener.problems == ["no torch", "no torch"]
    one.tracer.before = lambda text: None
    one.type(1, 5, "3")
    await one.settled()
    await asyncio.sleep(0.2)
    assert text.facts
    assert one.listener.problems[2:] == [None, None]


async def test_a_listener_that_fails_does_not_end_the_session(desk):
    one = desk("x = 3\n")

    def fail(document, hints_changed):
        one.listener.shown = lambda document, hints_changed: None
        raise BrokenPipeError

    one.listener.shown = fail
    await one.settled()
    one.type(1, 5, "3")
    await one.settled()
    assert one.hints() == {"2:x": 33}


async def test_a_tracer_that_dies_is_tried_again(desk):
    one = desk("x = 3\n")
    deaths = [TracerDied("died"), TracerDied("died")]

    def die(text: str) -> None:
        if deaths:
            raise deaths.pop()

    one.tracer.before = die
    await one.settled()
    assert one.hints() == {"2:x": 3}
    assert one.listener.problems == [None]


async def test_a_fault_of_ours_is_a_sentence(desk):
    one = desk("x = 3\n")

    def fail(text: str) -> None:
        raise ZeroDivisionError("oops")

    one.tracer.before = fail
    await one.settled()
    assert one.listener.problems == ["shapewise failed on a.py (ZeroDivisionError: oops)."]


async def test_while_a_statement_is_broken_the_hints_before_it_stay(desk):
    # As a function's are, which only its call makes known.
    one = desk("x = 3\ncall(1)\ny = 4\n")
    one.tracer.knows = lambda text: "call" in text
    await one.settled()
    assert one.hints() == {"2:x": 3, "4:y": 4}
    one.type(2, 6, "", over=1)
    await one.settled()
    assert one.hints() == {"2:x": 3}
    one.type(2, 6, ", 2")
    await one.settled()
    assert one.hints() == {"2:x": 3}
    one.type(2, 9, ")")
    await one.settled()
    assert one.hints() == {"2:x": 3, "4:y": 4}


async def test_an_edit_elsewhere_ends_what_is_known_from_before_the_break(desk):
    one = desk("w = 2\nx = 3\ncall(1)\n")
    one.tracer.knows = lambda text: "call" in text
    await one.settled()
    one.type(3, 6, "", over=1)
    await one.settled()
    assert one.hints() == {"2:w": 2, "3:x": 3}
    one.type(1, 5, "2")
    await one.settled()
    assert one.hints() == {}


async def test_the_file_that_was_edited_last_comes_first(desk):
    one = desk("x = 3\n")
    await one.settled()
    one.tracer.seconds = 0.1
    texts = [Text(f"file:///project/{n}.py", f"{HEAD}n = {n}\n", position_codec=CODEC) for n in range(5)]
    documents = [Document(text.uri, text.path, lambda text=text: (text,)) for text in texts]
    for document in documents:
        one.session.open(document)
    await asyncio.sleep(0.08)
    one.session.touch(documents[1])
    await documents[1].settled(5)
    traced = [text.split()[-1] for text in one.tracer.texts[1:]]
    assert traced[1] == "1"
    assert len(traced) < 5


async def test_a_closed_file_is_forgotten(desk):
    one = desk("x = 3\n")
    one.tracer.seconds = 0.05
    await asyncio.sleep(0.05)
    one.session.close(one.document)
    await asyncio.sleep(0.1)
    assert one.listener.changes == []


async def test_the_loop_stays_free_while_a_big_file_is_analysed(desk):
    gc.collect()
    gc.freeze()  # what thousands of other tests have left in this process is not the server's
    one = desk("".join(f"x{number} = {number}\n" for number in range(2000)))
    slowest, last = 0.0, asyncio.get_running_loop().time()
    while not one.document.is_current:
        await asyncio.sleep(0.001)
        now = asyncio.get_running_loop().time()
        slowest, last = max(slowest, now - last), now
    gc.unfreeze()
    assert len(one.hints()) == 2000
    assert slowest < 0.2


async def until(condition: Callable[[], object]) -> None:
    for _ in range(500):
        if condition():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it never came to that")


async def test_its_own_hints_come_first_and_then_those_from_elsewhere(desk):
    elsewhere = Elsewhere()
    elsewhere.seconds = 0.3
    one = desk("x = 3\n", elsewhere)
    await one.settled()
    assert one.hints() == {"2:x": 3}
    await until(lambda: one.hints() == {"2:x": 3, "2:y": 1})
    assert elsewhere.began == 1
    await asyncio.sleep(0.5)
    assert elsewhere.began == 1


async def test_who_types_does_not_wait_for_what_others_show(desk):
    elsewhere = Elsewhere()
    elsewhere.seconds = 4.0
    one = desk("x = 3\n", elsewhere)
    await until(lambda: elsewhere.began == 1)
    one.type(1, 5, "7")
    await asyncio.wait_for(one.settled(), 2)
    assert one.hints() == {"2:x": 37}
    elsewhere.seconds = 0.0
    await until(lambda: one.hints() == {"2:x": 37, "2:y": 1})


async def test_what_others_show_quickly_is_part_of_the_analysis(desk):
    one = desk("x = 3\n", Elsewhere())
    await until(lambda: "2:y" in one.hints())
    one.type(1, 5, "7")
    await one.settled()
    assert one.hints() == {"2:x": 37, "2:y": 1}


async def test_an_edit_of_a_comment_is_no_trace(desk):
    one = desk("x = 3\ny = 4\n")
    await one.settled()
    one.type(2, 0, "# why\n\n")
    await one.settled()
    assert one.hints() == {"2:x": 3, "5:y": 4}
    one.type(5, 0, "z = 5\n")
    await one.settled()
    assert one.hints() == {"2:x": 3, "5:y": 4, "6:z": 5}
    assert len(one.tracer.texts) == 2


async def test_an_edit_of_a_comment_is_a_trace_where_what_is_imported_has_changed(desk):
    one = desk("x = 3\n")
    await one.settled()
    assert one.document.known is not None
    known = one.document.known
    log = replace(known.analysis.log, files=("/project/b.py",))
    one.document.known = replace(known, analysis=replace(known.analysis, log=log))
    one.type(1, 5, "  # why")
    await one.settled()
    assert len(one.tracer.texts) == 2
