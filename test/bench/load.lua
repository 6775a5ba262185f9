-- Sends the requests of a file, one a line: method, path and body between tabs. Twelve tildes in a body stand for
-- a number that is new in every request. Arguments: the file, the first number. LOAD_PAUSE: milliseconds, on average,
-- that a connection waits before a request.
local requests, templates = {}, {}
local position, serial = 0, 0
local marker = string.rep("~", 12)

function init(args)
  serial = tonumber(args[2])
  for line in io.lines(args[1]) do
    local method, path, body = line:match("^(%u+)\t([^\t]*)\t(.*)$")
    if body == "" then body = nil end
    local text = wrk.format(method, path, nil, body)
    local index = #requests + 1
    requests[index] = text
    templates[index] = text:find(marker, 1, true) ~= nil
  end
end

function request()
  position = position % #requests + 1
  local text = requests[position]
  if not templates[position] then return text end
  serial = serial + 1
  return (text:gsub(marker, string.format("%012d", serial)))
end

local pause = tonumber(os.getenv("LOAD_PAUSE"))
if pause then
  function delay()
    return math.floor(2 * pause * math.random() + 0.5)
  end
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '\nRESULT {"requests":%d,"microseconds":%d,"bytes":%d,"p50":%d,"p99":%d,' ..
    '"failed":%d,"refused":%d}\n',
    summary.requests, summary.duration, summary.bytes,
    latency:percentile(50), latency:percentile(99),
    errors.connect + errors.read + errors.write + errors.timeout, errors.status))
end
