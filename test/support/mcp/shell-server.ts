import type { Target } from './mcp-daemon.ts'

/** Responds to everything with the same result, which fits a handshake and a call of a tool. */
const script = `while IFS= read -r line; do
  case $line in
    *'"method":"server/discover"'*) id=\${line#*'"id":'}; echo '{"jsonrpc":"2.0","id":'\${id%%,*}',"error":{"code":-32601,"message":"no"}}' ;;
    *'"id":'*) id=\${line#*'"id":'}; echo '{"jsonrpc":"2.0","id":'\${id%%,*}',"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"sh","version":"1"},"tools":[],"content":[{"type":"text","text":"'$$'"}]}}' ;;
  esac
done`

/**
 * A target that is a server in a few lines of shell, which starts in a millisecond. Its tools return the id of its
 * process.
 *
 * @param mark A word in its environment to find it by.
 */
export const cheapTarget = (name: string, mark: string): Target => ({
  name,
  stdio: { cmd: 'sh', args: ['-c', script], env: { MARK: mark } },
})
