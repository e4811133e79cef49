"use strict";
class Shape {
  constructor(name) { this.name = name; }
  get label() { return `${this.name}: ${this.area().toFixed(3)}`; }
}
class Circle extends Shape {
  constructor(r) { super("circle"); this.r = r; }
  area() { return Math.PI * this.r ** 2; }
}
class Box extends Shape {
  constructor(w, h) { super("box"); Object.assign(this, { w, h }); }
  area() { return this.w * this.h; }
}
const shapes = [new Box(2, 3), new Circle(1.5), new Box(0.1, 0.2)];
shapes.sort((a, b) => a.area() - b.area());
print(shapes.map(s => s.label).join("; "));
function* squares(n) { for (let i = 1; i <= n; i++) yield i * i; }
print([...squares(6)].reduce((a, b) => a + b), Math.max(...squares(4)));
const seen = new Map([["a", 1], ["b", [2, { c: null }]]]);
seen.set(NaN, "nan").delete("a");
print(JSON.stringify([...seen]), seen.size, seen.get(NaN));
print("2024-02-29 and 1999-12-31".replace(/(\d+)-(\d+)-(\d+)/g, (_, y, m, d) => `${d}.${m}.${y}`));
try { undefined.field; } catch (e) { print(e instanceof TypeError, e.message); }
const fib = n => n < 2 ? n : fib(n - 1) + fib(n - 2);
print(fib(9), 0.1 + 0.2, parseInt("0x1f"), (255).toString(2), [1, [2, [3]]].flat(9), 7 % -3, -7 >>> 28, "ä€".length);
var { x, ...rest } = { x: 1, y: 2, z: 3 };
print(x, JSON.stringify(rest), typeof rest, [..."abc"].reverse().join(""), "b" in { b: 0 });
throw new RangeError("the end");
