/**
 * Writes the TypeScript of the gRPC messages, one `.gen.ts` for each `.proto` file: those of the gateway, and the
 * official ones of OpenTelemetry, which tests decode exports with. Needs `protoc` (Debian: `protobuf-compiler`), so it
 * is not part of `npm run generate`: run it after changing a `.proto` file.
 *
 * @example
 * node scripts/generate-grpc.ts
 */
import { execFileSync } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { format, resolveConfig } from 'prettier'

const root = fileURLToPath(new URL('..', import.meta.url))
const options = ['target=ts', 'import_extension=ts', 'erasable_syntax=true', 'elide_plugin_version=true']

/** Writes the messages of the folder `proto` in a folder, beside that. */
const generate = async (folder: string): Promise<void> => {
  const target = join(root, folder)
  const sources = join(target, 'proto')
  const made = mkdtempSync(join(tmpdir(), 'grpc-'))
  try {
    execFileSync('protoc', [
      `--plugin=${join(root, 'node_modules/.bin/protoc-gen-es')}`,
      `--es_out=${made}`,
      `--es_opt=${options.join()}`,
      `--proto_path=${sources}`,
      ...globSync('**/*.proto', { cwd: sources }),
    ])
    for (const name of globSync('**/*.ts', { cwd: made })) {
      const path = join(target, name.replace(/_pb\.ts$/, '.gen.ts'))
      const text = readFileSync(join(made, name), 'utf8')
        .replaceAll(/(from ".*)_pb\.ts"/g, '$1.gen.ts"')
        .replace(/^\/\* eslint-disable \*\/\n/m, '')
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, await format(text, { ...(await resolveConfig(path)), parser: 'typescript' }))
    }
  } finally {
    rmSync(made, { recursive: true })
  }
}

await generate('src/protocols/grpc')
await generate('src/protocols/xds')
await generate('test/support/otlp')
