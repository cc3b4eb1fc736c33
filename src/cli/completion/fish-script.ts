import type { CommandNode, OptionWords } from './command-tree.ts'

/** A completion script for fish. */
export const fishScript = (nodes: readonly CommandNode[]): string => {
  const paths = nodes.slice(1).map(({ path }) => `'${path}'`)
  const lines = nodes.flatMap(({ path, children, options }) => [
    ...children.map(({ name, text }) => `${line(path)} -a ${name} -d ${quoted(text)}`),
    ...options.map((option) => `${line(path)} ${optionText(option)}`),
  ])
  return `# fish completion of agctl: agctl completion fish | source
function __agctl_at
  set -l at agctl
  for word in (commandline -opc)[2..-1]
    if contains -- "$at $word" ${paths.join(' ')}
      set at "$at $word"
    end
  end
  test "$at" = "$argv[1]"
end
complete -c agctl -f
${lines.join('\n')}
`
}

const line = (path: string): string => `complete -c agctl -n "__agctl_at '${path}'"`

const optionText = ({ flags, text, value }: OptionWords): string => {
  const names = flags.map((flag) => (flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`))
  const values = typeof value === 'string' ? [] : ['-a', quoted(value.join(' '))]
  const kind = value === 'none' ? [] : [value === 'file' ? '-rF' : '-x']
  return [...names, ...kind, ...values, '-d', quoted(text)].join(' ')
}

const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
