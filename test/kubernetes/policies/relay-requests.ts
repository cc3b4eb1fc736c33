/**
 * Sends requests of JSON lines, and prints each response as one: runs in the network of a lab, for `lab-client.ts`.
 * There is a new connection for each.
 */
import { request as requestPlain } from 'node:http'
import { request as requestTls } from 'node:https'
import { text } from 'node:stream/consumers'
import { createInterface } from 'node:readline'
import type { LabRequest, LabResponse } from './lab-client.ts'

const TIMEOUT_MS = 20_000

const send = ({ url, method = 'GET', headers = {}, body, tls }: LabRequest): Promise<LabResponse> =>
  new Promise((resolve) => {
    const failed = ({ code, message }: NodeJS.ErrnoException) => {
      resolve({ status: 0, headers: {}, body: code ?? message })
    }
    const options = { method, headers, agent: false, ...tls }
    const outgoing = (tls ? requestTls : requestPlain)(url, options, (response) => {
      text(response).then((received) => {
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: received,
        })
      }, failed)
    })
    outgoing.on('error', failed).setTimeout(TIMEOUT_MS, () => {
      outgoing.destroy(new Error('no reply'))
    })
    outgoing.end(body)
  })

for await (const line of createInterface(process.stdin))
  console.log(JSON.stringify(await send(JSON.parse(line) as LabRequest)))
