"""The screen of the terminal browser: tree, source, and keys that mark statements."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import ClassVar

from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.widgets import Footer, Static, Tree
from textual.widgets.tree import TreeNode

from butfor.browse.report_entries import Entry
from butfor.marks import Mark
from butfor.report.inert_text import inert

_TAB_CELLS = 4  # as in the text report
_MARK_SIGNS = {"benign": "✓", "guilty": "✗"}


class Browser(App[None]):
    """Shows the entries of a report. `marks` are by place; `save_mark` stores a change of one (None: no mark)."""

    CSS = """
    #tree { width: 45%; }
    #right { width: 55%; border-left: solid $panel; }
    #head { padding: 0 1; text-style: bold; }
    #details { height: auto; max-height: 40%; padding: 0 1; border-top: solid $panel; }
    #source { padding: 0 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("b", "mark('benign')", "benign"),
        Binding("g", "mark('guilty')", "guilty"),
        Binding("u", "mark('')", "unmark"),
        Binding("e", "expand", "expand all"),
        Binding("q", "quit", "quit"),
    ]

    def __init__(
        self,
        title: str,
        trees: list[Entry],
        sources: Mapping[str, str],
        marks: dict[str, Mark],
        save_mark: Callable[[str, Mark | None], None],
    ) -> None:
        super().__init__()
        self.title_text = title
        self.trees = trees
        self.sources = {file: text.splitlines() for file, text in sources.items()}
        self.marks = marks
        self.save_mark = save_mark
        self.selected: Entry | None = None

    def compose(self) -> ComposeResult:
        """The widgets of the screen."""
        yield Static(Text(self.title_text), id="head")
        with Horizontal():
            yield Tree[Entry]("report", id="tree")
            with Vertical(id="right"):
                with VerticalScroll(id="pane"):
                    yield Static(id="source")
                yield Static(id="details")
        yield Footer()

    def on_mount(self) -> None:
        """Fill the tree and select the most likely cause."""
        tree = self.query_one("#tree", Tree)
        tree.show_root = False
        for entry in self.trees:
            self._add_entry(tree.root, entry, is_open=True)
        tree.root.expand()
        tree.focus()
        first = next((node for node in tree.root.children for node in node.children), None)
        if first is not None:
            self.call_after_refresh(tree.move_cursor, first)

    def _add_entry(self, above: TreeNode[Entry], entry: Entry, *, is_open: bool = False) -> None:
        stack = [(above, entry, is_open)]
        while stack:
            parent, current, is_expanded = stack.pop()
            if not current.children:
                parent.add_leaf(self._label(current), data=current)
                continue
            node = parent.add(self._label(current), data=current, expand=is_expanded)
            stack += [(node, child, False) for child in reversed(current.children)]

    def _label(self, entry: Entry) -> Text:
        mark = self.marks.get(entry.place) if entry.place else None
        sign = f"{_MARK_SIGNS[mark]} {mark}: " if mark else ""
        where = f"  {entry.file.rpartition('/')[2]}:{entry.line}" if entry.line else ""
        return Text.assemble((sign, "bold"), entry.title, (where, "dim"))

    def on_tree_node_highlighted(self, event: Tree.NodeHighlighted[Entry]) -> None:
        """Show the source of the entry that is selected."""
        if event.node.data is not None:
            self.selected = event.node.data
            self._show(event.node.data)

    def _show(self, entry: Entry) -> None:
        lines = self.sources.get(entry.file, [])
        text = Text(no_wrap=True)
        width = len(str(len(lines)))
        for number, line in enumerate(lines, 1):
            is_here = number == entry.line
            text.append(f"{'>' if is_here else ' '} {number:>{width}} ", "bold" if is_here else "dim")
            text.append(inert(line.expandtabs(_TAB_CELLS)) + "\n", "reverse" if is_here else "")
        missing = f"the source {entry.file} is not there" if entry.file else ""
        self.query_one("#source", Static).update(text if lines else Text(missing))
        self.query_one("#details", Static).update(Text("\n".join(entry.details)))
        pane = self.query_one("#pane", VerticalScroll)
        pane.scroll_to(y=max(0, entry.line - 1 - pane.size.height // 2), animate=False)

    def action_mark(self, mark: str) -> None:
        """Mark the selected statement, or take its mark away."""
        if self.selected is None or not self.selected.place:
            return
        place = self.selected.place
        chosen: Mark | None = "benign" if mark == "benign" else "guilty" if mark == "guilty" else None
        if chosen is None:
            self.marks.pop(place, None)
        else:
            self.marks[place] = chosen
        self.save_mark(place, chosen)
        self._relabel(self.query_one("#tree", Tree).root)

    def _relabel(self, root: TreeNode[Entry]) -> None:
        work = [root]
        while work:
            node = work.pop()
            if node.data is not None:
                node.set_label(self._label(node.data))
            work += node.children

    def action_expand(self) -> None:
        """Open everything below the selected entry."""
        node = self.query_one("#tree", Tree).cursor_node
        if node is not None:
            node.expand_all()
