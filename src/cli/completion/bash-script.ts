import type { CommandNode } from './command-tree.ts'

/** A completion script for bash. */
export const bashScript = (nodes: readonly CommandNode[]): string => {
  const paths = nodes.slice(1).map(({ path }) => `"${path}"`)
  const words = nodes.map(({ path, children, options }) => {
    const all = [...children.map(({ name }) => name), ...options.flatMap(({ flags }) => flags)]
    return `    "${path}") words="${all.join(' ')}" ;;`
  })
  return `# bash completion of agctl: source <(agctl completion bash)
_agctl() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" at=agctl word words=
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    [ "$word" = -- ] && return
    case "$at $word" in
      ${paths.join(' | ')}) at="$at $word" ;;
    esac
  done
  case "$at:$prev" in
${valueCases(nodes, bashValue).join('\n')}
  esac
  case "$at" in
${words.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -F _agctl agctl
`
}

const bashValue = (value: 'file' | 'any' | readonly string[]): string => {
  if (value === 'file') return 'compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return'
  return value === 'any' ? 'return' : `COMPREPLY=($(compgen -W "${value.join(' ')}" -- "$cur")); return`
}

/** The cases of options that a value follows, for bash and zsh. */
export const valueCases = (
  nodes: readonly CommandNode[],
  command: (value: 'file' | 'any' | readonly string[]) => string,
): readonly string[] =>
  nodes.flatMap(({ path, options }) =>
    options.flatMap(({ flags, value }) =>
      value === 'none'
        ? []
        : [`    ${flags.map((flag) => `"${path}:${flag}"`).join(' | ')}) ${command(value)} ;;`],
    ),
  )
