import { type Agent, request } from 'node:http'
import { text } from 'node:stream/consumers'

/** A GET on a kept connection. Rejects unless its status is 200. */
export const get = (url: string, agent: Agent): Promise<string> => send(url, agent, 'GET', undefined, {})

/** A POST of JSON on a kept connection. Rejects unless its status is 200. */
export const post = (
  url: string,
  agent: Agent,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<string> => send(url, agent, 'POST', JSON.stringify(body), headers)

const send = (
  url: string,
  agent: Agent,
  method: string,
  body: string | undefined,
  headers: Readonly<Record<string, string>>,
): Promise<string> =>
  new Promise((resolve, reject) => {
    const type = body === undefined ? {} : { 'content-type': 'application/json' }
    const sent = request(url, { method, agent, headers: { ...type, ...headers } }, (response) => {
      text(response).then((whole) => {
        if (response.statusCode === 200) resolve(whole)
        else reject(new Error(`${response.statusCode}: ${whole}`))
      }, reject)
    })
    sent.once('error', reject)
    sent.end(body)
  })
