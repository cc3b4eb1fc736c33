/**
 * Writes the TypeScript of the gRPC messages, one `.gen.ts` beside each folder of `.proto` files. Needs `protoc` (Debian:
 * `protobuf-compiler`), so it is not part of `npm run generate`: run it after changing a `.proto` file.
 *
 * @example
 * node scripts/generate-grpc.ts
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { format, resolveConfig } from 'prettier'

const root = fileURLToPath(new URL('..', import.meta.url))
const target = join(root, 'src/protocols/grpc')
const sources = join(target, 'proto')

const made = mkdtempSync(join(tmpdir(), 'grpc-'))
try {
  const options = ['target=ts', 'import_extension=ts', 'erasable_syntax=true', 'elide_plugin_version=true']
  execFileSync('protoc', [
    `--plugin=${join(root, 'node_modules/.bin/protoc-gen-es')}`,
    `--es_out=${made}`,
    `--es_opt=${options.join()}`,
    `--proto_path=${sources}`,
    ...readdirSync(sources),
  ])
  for (const name of readdirSync(made)) {
    const path = join(target, name.replace(/_pb\.ts$/, '.gen.ts'))
    const text = readFileSync(join(made, name), 'utf8')
      .replaceAll(/(from ".*)_pb\.ts"/g, '$1.gen.ts"')
      .replace(/^\/\* eslint-disable \*\/\n/m, '')
    writeFileSync(path, await format(text, { ...(await resolveConfig(path)), parser: 'typescript' }))
  }
} finally {
  rmSync(made, { recursive: true })
}
