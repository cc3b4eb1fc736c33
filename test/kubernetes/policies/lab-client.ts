import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { SecureVersion } from 'node:tls'
import type { LabAccess } from '../lab/lab.ts'

/** A request to an address of a lab. */
export interface LabRequest {
  readonly url: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Options of `tls.connect`, for `https:`. */
  readonly tls?: { readonly ca?: string; readonly servername?: string; readonly maxVersion?: SecureVersion }
}

/** What came back. A failed connection has the status 0 and the code as body. */
export interface LabResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body: string
}

/** A client in the network of a lab. */
export interface LabClient extends AsyncDisposable {
  send(request: LabRequest): Promise<LabResponse>
}

const script = join(import.meta.dirname, 'relay-requests.ts')

/** Starts one; its requests are sent one after the other. */
export const openLabClient = (lab: LabAccess): LabClient => {
  const [program = '', ...args] = lab.enter([process.execPath, script])
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  let last: Promise<unknown> = Promise.resolve()
  const exchange = async (request: LabRequest): Promise<LabResponse> => {
    child.stdin.write(`${JSON.stringify(request)}\n`)
    const { value, done } = await lines.next()
    if (done) throw new Error('the client in the lab has ended')
    return JSON.parse(value) as LabResponse
  }
  return {
    send(request) {
      const response = last.then(() => exchange(request))
      last = response.catch(() => undefined)
      return response
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end()
      await exited
    },
  }
}
