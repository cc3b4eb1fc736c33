import { openApiTools } from '../../../protocols/openapi/tools.ts'
import type * as File from '../../../config/schema/file-types.gen.ts'
import { readJsonOrYaml } from '../../../protocols/yaml/json-or-yaml.ts'
import { child } from '../../../config/document/json-pointer.ts'
import type { ValidationContext } from '../../../config/validate/context.ts'

/** Checks a local document: it can be read, and has an operation that can be called. */
export function checkOpenApi(
  view: ValidationContext,
  { schema, host = '', path = '' }: NonNullable<File.McpTarget['openapi']>,
  pointer: string,
): void {
  for (const [name, value] of Object.entries({ host, path }))
    if (value.includes('?'))
      view.wrongValue(child(pointer, name), 'must not contain "?": the paths of the document follow', {
        value,
      })
  examineSchema(view, schema, child(pointer, 'schema'))
}

function examineSchema(
  view: ValidationContext,
  schema: NonNullable<File.McpTarget['openapi']>['schema'],
  pointer: string,
): void {
  if (typeof schema === 'string') {
    examineText(view, schema, pointer, undefined)
    return
  }
  const { file, inline } = schema
  if (typeof inline === 'string') examineText(view, inline, child(pointer, 'inline'), undefined)
  else if (inline !== undefined) examineDocument(view, inline, child(pointer, 'inline'), undefined)
  if (file === undefined) return
  const text = view.fileText(child(pointer, 'file'), file)
  if (text !== undefined) examineText(view, text, child(pointer, 'file'), file)
}

function examineText(view: ValidationContext, text: string, pointer: string, file: string | undefined): void {
  const read = readJsonOrYaml(text)
  if ('value' in read) examineDocument(view, read.value, pointer, file)
  else {
    const position = `line ${String(read.line)}, column ${String(read.column)}`
    view.wrongValue(pointer, `${file === undefined ? '' : `${file}, `}${position}: ${read.problem}`)
  }
}

function examineDocument(
  view: ValidationContext,
  document: unknown,
  pointer: string,
  file: string | undefined,
): void {
  const { tools, problems, refusal } = openApiTools(document)
  const inFile = file === undefined ? '' : `${file}: `
  if (refusal !== undefined) view.wrongValue(pointer, `${inFile}${refusal}`)
  else if (tools.length === 0)
    view.wrongValue(pointer, `${inFile}the document has no operation that can be a tool`, {
      hint: problems[0],
    })
  else {
    for (const problem of problems.slice(0, MOST))
      view.warning(pointer, 'openapi_left_out', `${inFile}${problem}`)
    const more = problems.length - MOST
    if (more > 0) view.warning(pointer, 'openapi_left_out', `${inFile}${String(more)} more are left out`)
  }
}

/** Documents are long, and logs are read by people. */
const MOST = 20
