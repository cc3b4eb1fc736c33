import { execFile, execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import autocannon from 'autocannon'
import { temporaryFolder } from './temporary-folder.ts'

/** A fixed load on one URL. */
export interface Load {
  readonly url: string
  readonly method?: 'GET' | 'POST'
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
  /** A header that takes the next of these values with each request. */
  readonly rotating?: { readonly name: string; readonly values: readonly string[] }
  /** `"id":1` in the body becomes another number with each request. */
  readonly numbered?: boolean
  readonly connections: number
  readonly seconds: number
}

export interface LoadResult {
  readonly requests: number
  readonly failed: number
}

const hasWrk = ((): boolean => {
  try {
    execFileSync('sh', ['-c', 'command -v wrk'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})()

/** Runs the load and returns the number of responses. Uses wrk where it is installed: it costs the machine less. */
export const run = (load: Load): Promise<LoadResult> => (hasWrk ? withWrk(load) : withAutocannon(load))

/** The name of the load generator in use. */
export const generator = hasWrk ? 'wrk' : 'autocannon'

const withWrk = async (load: Load): Promise<LoadResult> => {
  const { url, connections, seconds } = load
  const script = join(temporaryFolder(), 'request.lua')
  writeFileSync(script, luaOf(load))
  const { stdout } = await promisify(execFile)('wrk', [
    '-t1',
    `-c${connections}`,
    `-d${seconds}s`,
    '-s',
    script,
    url,
  ])
  const requests = Number(/(\d+) requests in/.exec(stdout)?.[1] ?? 0)
  const bad = Number(/Non-2xx or 3xx responses: (\d+)/.exec(stdout)?.[1] ?? 0)
  const socket = /Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)/.exec(stdout)
  return { requests, failed: bad + (socket ? socket.slice(1).reduce((sum, n) => sum + Number(n), 0) : 0) }
}

/** The request that wrk sends. */
const luaOf = ({ method = 'GET', body, headers = {}, rotating, numbered }: Load): string => {
  const all = { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) }
  return [
    `wrk.method=${JSON.stringify(method)}`,
    ...(body === undefined ? [] : [`wrk.body=${JSON.stringify(body)}`]),
    ...Object.entries(all).map(
      ([name, value]) => `wrk.headers[${JSON.stringify(name)}]=${JSON.stringify(value)}`,
    ),
    ...(rotating ? [rotatingLua(rotating)] : []),
    ...(numbered ? [NUMBERED_LUA] : []),
  ].join('\n')
}

const rotatingLua = ({ name, values }: NonNullable<Load['rotating']>): string => `
local values = {${values.map((value) => JSON.stringify(value)).join(',')}}
local turn = 0
request = function()
  turn = turn % #values + 1
  wrk.headers[${JSON.stringify(name)}] = values[turn]
  return wrk.format()
end`

const NUMBERED_LUA = `
local count = 0
local whole = wrk.body
request = function()
  count = count + 1
  return wrk.format(nil, nil, nil, (whole:gsub('"id":1', '"id":' .. count)))
end`

const withAutocannon = async (load: Load): Promise<LoadResult> => {
  const { url, method = 'GET', body, headers = {}, rotating, numbered, connections, seconds } = load
  let count = 0
  const result = await autocannon({
    url,
    method,
    headers,
    connections,
    duration: seconds,
    ...(body === undefined ? {} : { body }),
    ...(numbered && {
      requests: [
        {
          setupRequest: (request) => ({ ...request, body: body?.replace('"id":1', `"id":${++count}`) ?? '' }),
        },
      ],
    }),
    ...(rotating && { requests: rotating.values.map((value) => ({ headers: { [rotating.name]: value } })) }),
  })
  return { requests: result.requests.total, failed: result.non2xx + result.errors + result.timeouts }
}
