import { createRequire } from 'node:module'
import { extname } from 'node:path'

/**
 * The client of gRPC services, and with it grpc-js and protobuf. Loading takes 90 ms and 4 MB that most gateways do not
 * need: call it when a configuration is compiled, not when a request comes.
 */
export const grpcLibrary = (): typeof import('./grpc-client.ts') =>
  createRequire(import.meta.url)(`./grpc-client${written}`) as typeof import('./grpc-client.ts')

/** Sources run both as they are and compiled. */
const written = extname(import.meta.url)
