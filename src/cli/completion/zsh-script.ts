import { valueCases } from './bash-script.ts'
import type { CommandNode } from './command-tree.ts'

/** A completion script for zsh. */
export const zshScript = (nodes: readonly CommandNode[]): string => {
  const paths = nodes.slice(1).map(({ path }) => `"${path}"`)
  const words = nodes.map(({ path, children, options }) => {
    const all = [
      ...children.map(({ name, text }) => zshWord(name, text)),
      ...options.flatMap(({ flags, text }) => flags.map((flag) => zshWord(flag, text))),
    ]
    return `    "${path}") list=(${all.join(' ')}) ;;`
  })
  return `#compdef agctl
# zsh completion of agctl: source <(agctl completion zsh)
_agctl() {
  local at=agctl word prev="\${words[CURRENT-1]}"
  local -a list
  for word in "\${(@)words[2,CURRENT-1]}"; do
    [[ "$word" == -- ]] && return
    case "$at $word" in
      ${paths.join(' | ')}) at="$at $word" ;;
    esac
  done
  case "$at:$prev" in
${valueCases(nodes, zshValue).join('\n')}
  esac
  case "$at" in
${words.join('\n')}
  esac
  _describe agctl list
}
compdef _agctl agctl
`
}

const zshValue = (value: 'file' | 'any' | readonly string[]): string => {
  if (value === 'file') return '_files; return'
  return value === 'any' ? 'return' : `compadd -- ${value.join(' ')}; return`
}

/** A word with its explanation, after a colon. */
const zshWord = (word: string, text: string): string =>
  `'${word.replaceAll(':', '\\:')}:${text.replaceAll("'", "'\\''")}'`
