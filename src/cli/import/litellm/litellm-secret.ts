import { variableName, variable } from '../config-text.ts'
import type { ImportReport } from '../import-report.ts'
import type { SourceValue } from '../source-value.ts'

/** A text in which `os.environ/NAME` is a variable. */
export const litellmText = (text: string): string => {
  const name = /^os\.environ\/([A-Za-z_]\w*)$/.exec(text)?.[1]
  return name === undefined ? text : variable(variableName(name))
}

/** A secret: a variable, in place of the secret itself if the file has it in clear text. */
export const litellmSecret = (value: SourceValue, owner: string, report: ImportReport): string => {
  const text = value.text ?? ''
  if (text.startsWith('os.environ/')) return litellmText(text)
  const name = variableName(owner, value.name)
  report.changed(
    value.at,
    value.path,
    `the secret is not copied: the file reads it from ${name}`,
    `set the variable ${name}`,
  )
  return variable(name)
}
