/** The codec of AWS, by itself: it is loaded when a stream needs it. */
export { EventStreamCodec } from '@smithy/eventstream-codec'
