import { execFileSync } from 'node:child_process'

/** The address of the node, on the bridge of the pods. */
export const NODE_ADDRESS = '10.244.0.1'

const BRIDGE = 'cni0'
/** Addresses of Services, which NAT translates; without a route nothing would be sent to them. */
const TRANSLATED = ['10.96.0.0/16', '10.245.0.0/16']

/** Makes the node's network in the network namespace of this process, which must be a new one. */
export const makeNetwork = (): void => {
  const ip = (...args: readonly string[]) => execFileSync('ip', args)
  ip('link', 'set', 'lo', 'up')
  ip('link', 'add', BRIDGE, 'type', 'bridge')
  ip('addr', 'add', `${NODE_ADDRESS}/16`, 'dev', BRIDGE)
  ip('link', 'set', BRIDGE, 'up')
  for (const range of TRANSLATED) ip('route', 'add', range, 'dev', BRIDGE, 'src', NODE_ADDRESS)
  const settings = {
    'net.ipv4.ip_forward': 1,
    // Pods route by the node although they see each other on the bridge; that is on purpose.
    'net.ipv4.conf.all.send_redirects': 0,
    [`net.ipv4.conf.${BRIDGE}.send_redirects`]: 0,
    'net.ipv4.conf.all.rp_filter': 0,
  }
  execFileSync('sysctl', ['-qw', ...Object.entries(settings).map(([name, value]) => `${name}=${value}`)])
}
