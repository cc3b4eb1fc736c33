import { createRequire } from 'node:module'
import { extname } from 'node:path'

/**
 * The client of gRPC services, and with it grpc-js and protobuf. They are loaded at the first call, which takes 90 ms and
 * 4 MB that most gateways need not spend: ask for it when a configuration is compiled, not when a request comes.
 */
export const grpcLibrary = (): typeof import('./grpc.ts') =>
  createRequire(import.meta.url)(`./grpc${written}`) as typeof import('./grpc.ts')

/** Sources run as they are, and as what they are compiled to. */
const written = extname(import.meta.url)
