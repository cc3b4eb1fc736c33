import { type Line, line, span } from './span.ts'

/** The keys of the terminal UI, with what they do. */
export const keyBindings: readonly (readonly [keys: string, meaning: string])[] = [
  ['Enter', 'open the selected request'],
  ['Esc, q', 'back; at the top: quit'],
  ['1 … 8, Tab, ← →', 'the views of a request'],
  ['↑ ↓, j k', 'select a request, or scroll'],
  ['PgUp PgDn, Space b', 'a page up or down'],
  ['Home End, g G', 'the beginning or the end'],
  ['[ ]', 'the request before or after'],
  ['f', 'select each new request, or stop that'],
  ['/', 'search in this view; Enter ends the input, Esc the search'],
  ['n N', 'the next or the previous match'],
  ['c', 'copy the request as a curl command, and show it'],
  ['?', 'these keys'],
  ['Ctrl-L', 'draw the screen again'],
  ['Ctrl-Z', 'suspend; fg resumes'],
  ['Ctrl-C', 'quit at once'],
]

/** The page that `?` opens. */
export const helpLines = (): readonly Line[] => [
  ...keyBindings.map(([keys, meaning]): Line => [span(keys.padEnd(20), 'accent'), span(meaning)]),
  [],
  line('--expression CEL filters at the gateway, --bodies adds bodies, --follow shows all.', 'dim'),
]
