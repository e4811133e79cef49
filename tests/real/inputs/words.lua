-- Closures, metatables, coroutines, string patterns, sorting, errors: most parts of the interpreter.
local text = "It was a bright cold day in April and the clocks were striking thirteen"

local Counter = {}
Counter.__index = Counter
Counter.__add = function(a, b)
  local sum = Counter.new()
  for _, from in ipairs { a, b } do
    for word, n in pairs(from.words) do sum.words[word] = (sum.words[word] or 0) + n end
  end
  return sum
end
function Counter.new() return setmetatable({ words = {} }, Counter) end
function Counter:count(s)
  for word in s:gmatch("%a+") do
    word = word:lower()
    self.words[word] = (self.words[word] or 0) + #word
  end
  return self
end
function Counter:sorted()
  local names = {}
  for word in pairs(self.words) do names[#names + 1] = word end
  table.sort(names, function(a, b)
    local x, y = self.words[a], self.words[b]
    if x ~= y then return x > y end
    return a < b
  end)
  return names
end

local both = Counter.new():count(text) + Counter.new():count(text:reverse()) + Counter.new():count(text:upper())
local names = both:sorted()
for i = 1, 8 do print(string.format("%-10s %3d %6.2f", names[i], both.words[names[i]], both.words[names[i]] / 3)) end

local function primes(limit)
  return coroutine.wrap(function()
    local sieve = {}
    for i = 2, limit do
      if not sieve[i] then
        coroutine.yield(i)
        for j = i * i, limit, i do sieve[j] = true end
      end
    end
  end)
end
local sum, last = 0, 0
for p in primes(200) do sum, last = sum + p, p end
print("primes", sum, last, sum // last, sum % last, 2 ^ 0.5, 7 // 2.0, 1 << 40)

local function depth(n) if n == 0 then return 0 end return 1 + depth(n - 1) end
print("depth", depth(150))
print(pcall(function() local t = nil; return t.field end))
print(pcall(error, "thrown", 0))
print(select("#", table.unpack { 1, nil, 3 }), tostring(nil), tonumber("0x1p4"), math.type(1), math.type(1.0))
print(("x"):rep(3, "-"), ("hello world"):gsub("o", "0"), ("key=value"):match("(%w+)=(%w+)"))
print(load("return 6 * 7")(), #arg, math.maxinteger + 1 == math.mininteger)
goto done
print("not reached")
::done::
print(table.concat({ string.byte("Lua", 1, -1) }, ","), utf8.char(228, 8364), utf8.len("äöü"))
