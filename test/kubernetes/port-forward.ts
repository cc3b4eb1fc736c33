/** Sends a request to a port of a pod, by way of the API server, and prints the response: KUBECONFIG POD PORT. */
import { KubeConfig, PortForward } from '@kubernetes/client-node'
import { PassThrough } from 'node:stream'

const [kubeconfig = '', pod = '', port = ''] = process.argv.slice(2)
const config = new KubeConfig()
config.loadFromFile(kubeconfig)
const request = new PassThrough()
const response = new PassThrough()
const socket = await new PortForward(config).portForward('demo', pod, [Number(port)], response, null, request)
request.write('GET / HTTP/1.1\r\nhost: forwarded\r\n\r\n')
response.once('data', (chunk: Buffer) => {
  process.stdout.write(chunk)
  if (typeof socket !== 'function') socket.close()
  process.exit()
})
