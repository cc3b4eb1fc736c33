import { EventStreamCodec } from '@smithy/eventstream-codec'

const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes as Uint8Array).toString(),
  (text) => Buffer.from(text),
)

/** An event of a Bedrock stream, encoded by AWS' own library. */
export const awsFrame = (type: string, payload: object): Uint8Array =>
  codec.encode({
    headers: {
      ':event-type': { type: 'string', value: type },
      ':content-type': { type: 'string', value: 'application/json' },
      ':message-type': { type: 'string', value: 'event' },
    },
    body: Buffer.from(JSON.stringify(payload)),
  })
