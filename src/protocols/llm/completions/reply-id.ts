/** The id of an answer, which clients of this format expect to begin like this: its own, or a new one. */
export const replyId = (id: string): string => (id === '' ? `chatcmpl-${crypto.randomUUID()}` : id)

/** The id of a tool's call: its own, or a new one, for the result has to name it. */
export const callId = (id: string | undefined): string =>
  id ?? `call_${crypto.randomUUID().replaceAll('-', '')}`

/** When an answer was made, in seconds since the epoch: as it says, or now. */
export const createdOf = (createdAtS: number | undefined): number =>
  createdAtS ?? Math.floor(Date.now() / 1000)
