"""What the kinds of units add to the statements that all of them have."""
# lines of C text are easier to read unbroken

from __future__ import annotations

from collections.abc import Callable

from tests.property.cgen import Unit
from tests.property.cgen_expr import Fn, Place
from tests.property.cgen_types import (
    CHAR,
    DOUBLE,
    EXTENDED,
    FLOAT,
    FLOATS,
    INT,
    INTS,
    LLONG,
    LONG,
    UCHAR,
    UINT,
    ULLONG,
    USHORT,
    Array,
    Scalar,
    Struct,
    leaves,
    spelled,
)


def _arithmetic(u: Unit) -> None:
    u.depth = 4
    for t in INTS:
        u.decls.append(u.local(t))


def _floating(u: Unit) -> None:
    u.depth = 3
    for t in FLOATS:
        u.decls.append(u.local(t))
        u.variable(t)
    u.specials += [lambda: f"mixd({u.floating(4)[0]});"] * 3


def _arrays(u: Unit) -> None:
    for _ in range(2):
        u.variable(Array(u.scalar(), (8,)))
    u.variable(Array(u.scalar(), (2, 4)))
    name = u.name("t")
    u.top.append(f"static const {UINT.name} {name}[4] = {{ {', '.join(u.literal(UINT)[0] for _ in range(4))} }};")
    u.places.append(Place((name, 3), UINT, writable=False))
    u.specials.append(lambda: _fill(u))


def _fill(u: Unit) -> str:
    place = u.pick(lambda p: len(p.parts) > 1 and p.writable)
    assert place is not None
    i = u.name("i")
    return f"for (int {i} = 0; {i} < 8; {i}++) {u.spell(place.parts)} = {u.as_type(place.type, 2)};"


def _structs(u: Unit) -> None:
    inner = u.struct()
    u.variable(inner)
    outer = u.struct(packed=u.coin(0.2))
    for t in (inner, outer, outer):
        u.variable(t)
    u.variable(Array(outer, (4,)))
    array = u.name("arr")
    pointer = u.name("ptr")
    u.decls += [f"{outer.tag} {array}[4] = {{0}};", f"{outer.tag} *{pointer} = {array};"]
    u.structs.append((f"{array}[1]", outer))
    u.add_struct(pointer, outer, arrow=True)
    u.specials += [
        lambda: _struct_copy(u, outer),
        lambda: _struct_copy(u, outer),
        lambda: f"{pointer} = &{array}[{u.index(3)}];",
    ]
    u.specials.append(lambda: f"{pointer} = {array} + ({u.index(3)});")


def _struct_copy(u: Unit, t: Struct) -> str:
    found = [text for text, s in u.structs if s == t]
    return f"{u.rng.choice(found)} = {u.rng.choice(found)};"


def _unions(u: Unit) -> None:
    halves = Struct(u.name("H"), (("x", USHORT), ("y", USHORT), ("z", UCHAR), ("w", CHAR), ("v", USHORT)))
    t = Struct(
        u.name("U"),
        (
            ("w", ULLONG), ("i", LLONG), ("h", Array(UINT, (2,))), ("b", Array(UCHAR, (8,))),
            ("d", DOUBLE), ("f", Array(FLOAT, (2,))), ("s", halves),
        ),
        "union",
    )  # fmt: skip
    u.top += [halves.text(), t.text()]
    for _ in range(2):
        name = u.name("un")
        u.decls.append(f"{t.tag} {name} = {{ {u.literal(ULLONG)[0]} }};")
        u.add_struct(name, t, punned=True)
    u.specials.append(lambda: _struct_copy(u, t))
    d, bits = u.name("d"), u.name("l")
    u.decls += [f"double {d} = {u.initial(DOUBLE)};", f"unsigned long {bits} = 0;"]
    u.specials.append(lambda: f"memcpy(&{bits}, &{d}, 8); mix({bits}); {d} = clean({u.floating(2)[0]});")
    u.specials.append(lambda: f"memcpy(&{d}, &{bits}, 8); mixd({d});")


def _bitfields(u: Unit) -> None:
    for _ in range(2):
        t = u.struct(bits=True, packed=u.coin(0.2))
        for _ in range(2):
            u.variable(t)
        u.specials.append(lambda t=t: _struct_copy(u, t))  # type: ignore[misc]  # binds the type of this round


def _pointers(u: Unit) -> None:
    t = u.scalar()
    a, b = u.name("x"), u.name("y")
    u.top.append(f"static {t.name} {a};")
    u.decls.append(f"{t.name} {b}[8] = {{0}};")
    u.places += [Place((a,), t), Place((b, 7), t)]
    p, q, pp, w = u.name("p"), u.name("q"), u.name("pp"), u.name("w")
    u.decls += [
        f"{t.name} *{p} = &{a};",
        f"{t.name} *{q} = {b};",
        f"{t.name} **{pp} = &{p};",
        f"{t.name} *{w} = {b} + 3;",
    ]
    u.places += [Place((f"(*{p})",), t), Place((q, 3), t), Place((f"(**{pp})",), t), Place((f"(*{w})",), t)]

    def repoint() -> str:
        place = u.pick(lambda x: x.type == t and x.addressable and x.writable and not x.private)
        assert place is not None
        return f"{u.rng.choice((p, '*' + pp, w if place.parts[0] == b else p))} = &{u.spell(place.parts)};"

    def walk() -> str:
        return (
            f"{w} = {b} + 2; while ({w} != {b} + ({u.index(7)} | 3) && fuel-- > 0 && {w} < {b} + 7) {{"
            f" *{w}++ = {u.as_type(t, 1)}; mix({w} - {b}); }}"
        )

    u.specials += [repoint, repoint, walk]
    u.specials.append(lambda: f"{q} = {b} + ({u.index(3)}); mix({q} - {b}); mix({q} < {b} + 2);")
    u.specials.append(lambda: f"{pp} = {u.condition(1)} ? &{p} : &{w};")
    u.specials.append(lambda: f"{w} = {u.condition(1)} ? &{b}[{u.index(7)}] : {q};")


def _by_value(u: Unit) -> None:
    pair = Struct(u.name("P"), (("x", FLOAT), ("y", FLOAT)))
    mixed = Struct(u.name("M"), (("d", DOUBLE), ("i", INT), ("c", CHAR)))
    small = Struct(u.name("C"), (("c", Array(CHAR, (2,))), ("e", UCHAR)))
    large = Struct(u.name("B"), (("a", Array(LONG, (4,))), ("l", EXTENDED), ("p", pair)))
    u.top += [t.text() for t in (pair, mixed, small, large)]
    shapes = [pair, mixed, small, large, u.struct(), u.struct()]
    for t in shapes:
        u.variable(t)
    for _ in range(4):
        results: list[Scalar | Struct] = [*shapes, INT, DOUBLE]
        result = u.rng.choice(results)
        u.function(result, [u.rng.choice((*shapes, u.scalar())) for _ in range(u.rng.randint(1, 4))], 2, export=False)

    def assign() -> str:
        fn = u.rng.choice(u.local_functions)
        text = u.call(fn, 1)
        assert text is not None
        if not isinstance(fn.result, Struct):
            return f"mixd({text});"
        target = u.rng.choice([name for name, t in u.structs if t == fn.result])
        if u.coin(0.3):
            pointer = u.name("fp")
            params = ", ".join(spelled(p) if not isinstance(p, tuple) else "void *" for p in fn.params)
            return (
                f"{{ {fn.result.tag} (*{pointer})({params}) = {fn.name};"
                f" {target} = {text.replace(fn.name, pointer, 1)}; }}"
            )
        if u.coin(0.3):
            path, _ = u.rng.choice(
                [(p, t) for p, t in leaves(fn.result) if all(isinstance(x, str) for x in p)] or [((), INT)]
            )
            return f"mixd({text}{''.join(map(str, path))});" if path else f"{target} = {text};"
        return f"{target} = {text};"

    u.specials += [assign] * 5


def _many_arguments(u: Unit) -> None:
    for count in (u.rng.randint(8, 14), u.rng.randint(15, 24)):
        fn = u.function(u.rng.choice(INTS), [u.scalar() for _ in range(count)], 3)
        u.specials.append(lambda fn=fn: f"mix({u.call(fn, 1)});")  # type: ignore[misc]  # binds the function of this round


def _recursion(u: Unit) -> None:
    t = u.rng.choice((INT, LLONG, UINT, DOUBLE, UCHAR))
    f, g = u.name("rec"), u.name("mut")
    u.top.append(f"static {t.name} {g}(int n, {t.name} x, {t.name} *out);")
    for name, other in ((f, g), (g, f)):
        a = u.name("keep")
        u.top.append(
            f"static {t.name} {name}(int n, {t.name} x, {t.name} *out) {{ {t.name} {a}[2] = {{ x, ({t.name})n }};\n"
            f"  if (n <= 0 || fuel-- <= 0) return x;\n  *out = {a}[n & 1];\n"
            f"  {t.name} y = {u.rng.choice((name, other))}(n - 1, ({t.name})(x / 2), &{a}[1]);\n"
            f"  if (n & 1) y = ({t.name})({other}(n - 2, y, out) / 2);\n"
            f"  return ({t.name})(y / 2 + {a}[0] / 4 + {a}[1] / 8); }}"
        )
    out = u.name("o")
    u.decls.append(f"{t.name} {out} = 0;")
    u.places.append(Place((out,), t))
    u.specials += [lambda: f"mixd({f}({u.rng.randint(1, 12)}, ({t.name})({u.index(15)}), &{out}));"] * 2


def _tables(u: Unit) -> None:
    params = [u.scalar() for _ in range(u.rng.randint(1, 3))]
    result = u.rng.choice(INTS)
    names = [u.function(result, [*params], 2, export=False).name for _ in range(4)]
    table, box = u.name("tab"), u.name("box")
    signature = ", ".join(p.name for p in params)
    u.top.append(f"static {result.name} (*const {table}[4])({signature}) = {{ {', '.join(names)} }};")
    u.decls.append(f"struct {{ int k; {result.name} (*f)({signature}); }} {box} = {{ 1, {names[0]} }};")
    fn = Fn("", result, tuple(params))
    u.specials += [lambda: f"mix({table}[{u.index(3)}]{u.call(fn, 1)});"] * 2
    u.specials.append(
        lambda: f"{box}.f = {table}[{u.index(3)}]; mix({box}.f{u.call(fn, 1)}); mix({box}.f == {names[1]});"
    )


def _varargs(u: Unit) -> None:
    pair = Struct(u.name("P"), (("d", DOUBLE), ("n", INT)))
    big = Struct(u.name("B"), (("a", Array(LONG, (4,))),))
    u.top += [pair.text(), big.text()]
    for t in (pair, big):
        u.variable(t)
    f, inner = u.name("va"), u.name("vb")
    arms = {
        "i": "mix(va_arg(ap, int));",
        "u": "mix(va_arg(ap, unsigned));",
        "l": "mix(va_arg(ap, long));",
        "q": "mix(va_arg(ap, unsigned long long));",
        "d": "mixd(va_arg(ap, double));",
        "L": "mixd(va_arg(ap, long double));",
        "s": "mix(strlen(va_arg(ap, char *)));",
        "P": f"{{ {pair.tag} p = va_arg(ap, {pair.tag}); mix(p.n); mixd(p.d); }}",
        "B": f"{{ {big.tag} b = va_arg(ap, {big.tag}); mix(b.a[3] + b.a[0]); }}",
    }
    cases = " ".join(f"case '{k}': {v} break;" for k, v in arms.items())
    u.top.append(
        f"static int {inner}(const char *how, va_list ap) {{ int n = 0; for (; *how; how++, n++) switch (*how) {{"
        f" {cases} }} return n; }}"
    )
    again = f"va_list copy; va_copy(copy, ap); mix({inner}(how, copy)); va_end(copy);"
    u.top.append(
        f"static int {f}(const char *how, ...) {{ va_list ap; va_start(ap, how); {again} int n = {inner}(how, ap);"
        f" va_end(ap); return n; }}"
    )
    types: dict[str, Scalar] = {"i": INT, "u": UINT, "l": LONG, "q": ULLONG, "d": DOUBLE, "L": EXTENDED}

    def use() -> str:
        how = "".join(u.rng.choice("iulqdLsPBidd") for _ in range(u.rng.randint(1, 14)))
        return f'mix({f}("{how}"{"".join(", " + argument(k) for k in how)}));'

    def argument(k: str) -> str:
        if k == "s":
            return f'"{"x" * u.rng.randint(0, 9)}"'
        if k in "PB":
            return u.rng.choice([text for text, t in u.structs if t == (pair if k == "P" else big)])
        return f"({types[k].name})({u.as_type(types[k], 1) if k in 'dL' else u.integer(1)[0]})"

    u.specials += [use] * 3


def _switches(u: Unit) -> None:
    values = sorted({u.rng.randint(-50, 300) for _ in range(25)})
    f = u.name("sw")
    arms = " ".join(f"case {v}: x ^= {u.rng.randint(1, 999)}; {'break;' if u.coin(0.6) else ''}" for v in values)
    u.top.append(
        f"static long {f}(long x) {{ switch (x) {{ {arms} case 400 ... 450: x = 1; default: x++; }} return x; }}"
    )
    i = u.name("i")
    u.specials.append(lambda: f"for (int {i} = 0; {i} < 30; {i}++) mix({f}({i} * {u.rng.randint(1, 15)} - 50));")
    u.local_functions.append(Fn(f, LONG, (UCHAR,)))
    u.specials += [lambda: u._switch(), lambda: u._switch()]


def _loops(u: Unit) -> None:
    i, j, label = u.name("i"), u.name("j"), u.name("out")
    u.specials += [u._for, u._while, u._do]
    u.specials.append(
        lambda: (
            f"for (int {i} = 0; {i} < 6; {i}++) {{ for (int {j} = {i}; {j} < 7 && fuel-- > 0; {j}++) {{"
            f" if ({i} * {j} == {u.rng.randint(0, 20)}) goto {label};"
            f" if ({j} % 3 == 1) continue; mix({i} + {j}); }} }} {label}: ;"
        )
    )


def _jumps(u: Unit) -> None:
    state, a, b, c = (u.name("st") for _ in range(4))
    u.specials.append(
        lambda: (
            f"{{ unsigned {state} = {u.rng.randint(1, 99)}; {a}: if (fuel-- <= 0) goto {c}; {state} = {state} * 5 + 1;"
            f" if ({state} & 4) goto {b}; mix({state});"
            f" if ({state} > {u.rng.randint(100, 5000)}) goto {c}; goto {a}; {b}: {state} ^= 4; goto {a};"
            f" {c}: mix({state}); }}"
        )
    )
    buf, f, v = u.name("env"), u.name("thrower"), u.name("vol")
    u.top.append(f"static jmp_buf {buf};")
    u.top.append(
        f"static int {f}(int n, int *p) {{ int mine[2] = {{ n, n + 1 }}; *p += mine[1];"
        f" if (n <= 0) longjmp({buf}, *p & 7); return {f}(n - 1, &mine[0]) + mine[0]; }}"
    )
    u.decls.append(f"volatile int {v} = 0; int {v}x = 0;")
    u.specials.append(
        lambda: (
            f"{v} = 0; {{ int r = setjmp({buf}); {v} = {v} + 1; mix(r + {v});"
            f" if ({v} < 4) mix({f}({u.rng.randint(0, 5)}, &{v}x)); }}"
        )
    )
    u.specials += [u._goto, u._goto]


def _memory(u: Unit) -> None:
    a, b, words = u.name("buf"), u.name("buf"), u.name("words")
    u.top.append(f"static unsigned char {a}[64];")
    u.decls += [f"unsigned char {b}[64] = {{0}};", f"unsigned {words}[8] = {{0}};"]
    u.places += [Place((a, 63), UCHAR), Place((b, 31), UCHAR), Place((words, 7), UINT)]
    both = (a, b)

    def span() -> tuple[str, str, str]:
        return f"{u.rng.choice(both)} + ({u.index(31)})", f"{u.rng.choice(both)} + ({u.index(31)})", f"{u.index(31)}"

    def move() -> str:
        to, source, n = span()
        return f"memmove({to}, {source}, ({n}));"

    def copy() -> str:
        to, source = u.rng.sample(both, 2)
        return f"memcpy({to} + ({u.index(31)}), {source} + ({u.index(31)}), ({u.index(31)}));"

    def fill() -> str:
        to, _, n = span()
        return f"memset({to}, {u.integer(1)[0]}, ({n}));"

    def compare() -> str:
        x, y, n = span()
        return f"{{ int r = memcmp({x}, {y}, ({n})); mix((r > 0) - (r < 0)); }}"

    def pun() -> str:
        w = u.rng.choice(("unsigned", "unsigned short", "unsigned long", "long long"))
        return (
            f"{{ {w} x; memcpy(&x, {b} + ({u.index(31)}), sizeof x); mix(x); x += 77;"
            f" memcpy({b} + ({u.index(31)}), &x, sizeof x); }}"
        )

    def whole() -> str:
        return f"memcpy({words}, {a} + ({u.index(31)}), sizeof {words}); mix({words}[{u.index(7)}]);"

    u.specials += [move, move, copy, fill, compare, pun, pun, whole]


def _heap(u: Unit) -> None:
    t, node = u.rng.choice((INT, UCHAR, DOUBLE, LLONG)), u.struct()
    u.variable(node)
    p, q, n = u.name("h"), u.name("z"), u.name("n")
    cell, head = u.name("Cell"), u.name("head")
    u.top.append(f"struct {cell} {{ struct {cell} *next; {node.tag} body; struct {cell} **back; }};")
    u.decls += [
        f"{t.name} *{p} = malloc(8 * sizeof *{p}); for (int i = 0; i < 8; i++) {p}[i] = ({t.name})i; int {n} = 8;"
    ]
    u.decls += [f"{node.tag} *{q} = calloc(2, sizeof *{q});", f"struct {cell} *{head} = 0;"]
    u.places.append(Place((p, 7), t))
    u.add_struct(q, node, arrow=True)

    def grow() -> str:
        k = u.rng.randint(1, 200)
        return (
            f"{p} = realloc({p}, ({n} + {k}) * sizeof *{p}); for (int i = 0; i < {k};"
            f" i++) {p}[{n} + i] = ({t.name})(i * 3); {n} += {k}; mix((long){p}[{n} - 1]);"
        )

    def push() -> str:
        body = u.rng.choice([text for text, s in u.structs if s == node])
        return (
            f"{{ struct {cell} *c = malloc(sizeof *c); c->body = {body}; c->next = {head}; c->back = &c->next;"
            f" {head} = c; if ({head}->next) *{head}->next->back = {head}->next->next; }}"
        )

    def pop() -> str:
        return f"if ({head}) {{ struct {cell} *c = {head}; {head} = *c->back; *{q} = c->body; free(c); }}"

    u.specials += [grow, push, push, push, pop]
    u.last += [
        f"while ({head}) {{ struct {cell} *c = {head}; {head} = c->next; mix(1); free(c); }}",
        f"free({p}); free({q});",
    ]


def _sorting(u: Unit) -> None:
    t = u.rng.choice((INT, UCHAR, DOUBLE, LLONG))
    by, a, rec, recs, by2 = (u.name(k) for k in ("cmp", "arr", "R", "recs", "cmp"))
    u.top.append(
        f"static int {by}(const void *a, const void *b) {{"
        f" {t.name} x = *(const {t.name} *)a, y = *(const {t.name} *)b; mix(1); return (x > y) - (x < y); }}"
    )
    u.top.append(f"struct {rec} {{ char name[6]; short key; double *p; }}; static double {rec}_d[16];")
    u.top.append(
        f"static int {by2}(const void *a, const void *b) {{ const struct {rec} *x = a, *y = b;"
        f" int r = strcmp(x->name, y->name);"
        f" if (!r) r = x->key - y->key; return r ? r : (x->p > y->p) - (x->p < y->p); }}"
    )
    u.decls += [
        f"{t.name} {a}[16] = {{0}};",
        f"struct {rec} {recs}[8]; memset({recs}, 0, sizeof {recs}); for (int i = 0; i < 8;"
        f" i++) {recs}[i].p = &{rec}_d[i];",
    ]
    i = u.name("i")
    u.specials.append(
        lambda: f"for (int {i} = 0; {i} < 16; {i}++) {a}[{i}] = ({t.name})(({i} * {u.rng.randint(1, 99)}) % 17);"
    )
    u.specials += [
        lambda: f"qsort({a}, {u.rng.randint(0, 16)}, sizeof *{a}, {by}); for (int i = 0; i < 16; i++) mixd({a}[i]);"
    ] * 2
    u.specials.append(
        lambda: (
            f"for (int i = 0; i < 8; i++) {{ {recs}[i].name[0] = 'a' + (i * {u.rng.randint(1, 9)}) % 5;"
            f" {recs}[i].key = {u.index(3)}; }}"
            f" qsort({recs}, 8, sizeof *{recs}, {by2}); for (int i = 0; i < 8; i++) {{ *{recs}[i].p += i;"
            f" mixd(*{recs}[i].p); mix({recs}[i].key); }}"
        )
    )
    u.specials.append(
        lambda: (
            f"{{ {t.name} key = {a}[{u.index(15)}], *hit; qsort({a}, 16, sizeof key, {by});"
            f" hit = bsearch(&key, {a}, 16, sizeof key, {by}); mix(*hit == key); }}"
        )
    )


def _strings(u: Unit) -> None:
    s, t = u.name("s"), u.name("t")
    u.decls += [f'char {s}[64] = "start";', f'char {t}[64] = "";']
    words = ("alpha", "be", "", "gamma ray", "12 apples", "-7", "0x1f", "zz")

    def word() -> str:
        return f'"{u.rng.choice(words)}"'

    u.specials += [
        lambda: f"strcpy({s}, {word()}); mix(strlen({s}));",
        lambda: f"if (strlen({s}) < 40) strcat({s}, {word()});",
        lambda: (
            f'{{ int n = snprintf({t}, sizeof {t}, "%d|%s|%x", (int)({u.integer(2)[0]}), {s},'
            f" (unsigned)({u.integer(1)[0]})); mix(n); }}"
        ),
        lambda: f"{{ char *c = strchr({s}, 'a'); mix(c ? c - {s} : -1); if (c) *c = 'b'; }}",
        lambda: f"{{ int r = strcmp({s}, {t}); mix((r > 0) - (r < 0)); mix(strncmp({s}, {t}, 2) == 0); }}",
        lambda: f"{{ char *e; mix(strtol({u.rng.choice((s, t, word()))}, &e, 0)); mix(*e); mix(atoi({t})); }}",
        lambda: f"for (char *c = {s}; *c; c++) mix(*c = *c >= 'a' && *c <= 'z' ? *c - 32 : *c);",
        lambda: (
            f"{{ char *c = strdup({s}); mix(strlen(c)); if (c[0]) c[0] = 'q'; memmove({t}, c, strlen(c) + 1); free(c);"
            f" }}"
        ),
        lambda: f'printf("%s %d\\n", {s}, (int)({u.integer(1)[0]}));',
    ]
    u.last.append(f"for (int i = 0; {t}[i]; i++) mix({t}[i]);")


def _statics(u: Unit) -> None:
    f, t = u.name("st"), u.rng.choice((UINT, ULLONG, UCHAR))
    u.top.append(
        f"static {t.name} {f}(void) {{ static {t.name} n = 7; static struct {{ int a; {t.name} k[4]; }} keep = {{"
        f" 1, {{ 2, 3 }} }}; keep.k[n & 3] += n++; return keep.k[keep.a++ & 3]; }}"
    )
    u.local_functions.append(Fn(f, t, ()))
    g, p = u.name("tl"), u.name("tp")
    u.top.append(f"static _Thread_local {t.name} {g}[4] = {{ 1, 2 }}; static {t.name} *{p} = 0;")
    u.places.append(Place((g, 3), t))
    u.specials += [lambda: f"mix({f}());", lambda: f"{p} = &{g}[{u.index(3)}]; *{p} += 3; mix({g}[0]);"]


def _dynamic(u: Unit) -> None:
    f, t = u.name("vla"), u.rng.choice((INT, DOUBLE, UCHAR))
    u.top.append(
        f"static long {f}(int n) {{ if (n < 1) n = 1; if (n > 9) n = 9; {t.name} a[n], b[n][2]; struct {{ short s;"
        f" {t.name} v; }} c[n];\n"
        f"  for (int i = 0; i < n; i++) {{ a[i] = ({t.name})i; b[i][i & 1] = a[i]; b[i][!(i & 1)] = ({t.name})2;"
        f" c[i].s = (short)i; c[i].v = a[n - 1 - i < i ? n - 1 - i : 0]; }}\n"
        f"  {t.name} *last = 0; long s = 0; for (int i = 1; i <= n; i++) {{ {t.name} *q = alloca(i * sizeof *q);"
        f" for (int j = 0; j < i; j++) q[j] = b[j][0];\n"
        f"    if (last) s += (long)*last; last = q; }}\n"
        f"  for (int i = 1; i <= n; i++) {{ {t.name} tmp[i]; for (int j = 0; j < i; j++) tmp[j] = b[j][1];"
        f" s = s * 3 + (long)tmp[i - 1] + c[i - 1].s + (long)c[i - 1].v + (long)sizeof tmp; }} return s; }}"
    )
    u.local_functions.append(Fn(f, LONG, (UCHAR,)))
    u.specials += [lambda: f"mix({f}({u.index(15)}));"] * 2


KINDS: dict[str, Callable[[Unit], None]] = {
    "arithmetic": _arithmetic,
    "floating": _floating,
    "arrays": _arrays,
    "structs": _structs,
    "unions": _unions,
    "bitfields": _bitfields,
    "pointers": _pointers,
    "by value": _by_value,
    "many arguments": _many_arguments,
    "recursion": _recursion,
    "tables": _tables,
    "varargs": _varargs,
    "switches": _switches,
    "loops": _loops,
    "jumps": _jumps,
    "memory": _memory,
    "heap": _heap,
    "sorting": _sorting,
    "strings": _strings,
    "statics": _statics,
    "dynamic": _dynamic,
}
