import { ServerCredentials } from '@grpc/grpc-js'
import type { Certificate } from '../../support/certificates.ts'
import { type Processor, startProcessor } from '../../support/processor.ts'

/** A picker with TLS, as pickers have it. */
export const startPicker = ({ cert, key }: Certificate): Promise<Processor> =>
  startProcessor(
    ServerCredentials.createSsl(null, [{ cert_chain: Buffer.from(cert), private_key: Buffer.from(key) }]),
  )

/** A pod that is in every pool of `inferencePool`. */
export const podsOfPools = `
---
kind: Pod
metadata: { namespace: shop, name: model, labels: { app: model } }
spec: {}
status: { podIP: 192.0.2.20, conditions: [{ type: Ready, status: 'True' }] }
`

/** An InferencePool and its picker at the Service `<name>-picker`. */
export const pooled = (
  name: string,
  {
    ports,
    pickerPort,
    failureMode = 'FailClose',
  }: { readonly ports: readonly number[]; readonly pickerPort: number; readonly failureMode?: string },
): string => `
---
kind: InferencePool
metadata: { namespace: shop, name: ${name} }
spec:
  selector: { matchLabels: { app: model } }
  targetPorts: [${ports.map((number) => `{ number: ${number} }`).join(', ')}]
  endpointPickerRef: { name: ${name}-picker, port: { number: 9002 }, failureMode: ${failureMode} }
---
kind: Service
metadata: { namespace: shop, name: ${name}-picker }
spec: { clusterIP: 10.96.0.20, ports: [{ name: grpc, port: 9002, targetPort: 9002 }] }
---
kind: EndpointSlice
metadata: { namespace: shop, name: ${name}-picker, labels: { kubernetes.io/service-name: ${name}-picker } }
addressType: IPv4
ports: [{ name: grpc, port: ${pickerPort} }]
endpoints: [{ addresses: [192.0.2.30], conditions: { ready: true } }]
`

/** The same behind the path of its name. */
export const inferencePool = (name: string, options: Parameters<typeof pooled>[1]): string => `
---
kind: HTTPRoute
metadata: { namespace: shop, name: ${name} }
spec:
  parentRefs: [{ name: web }]
  rules:
    - matches: [{ path: { type: PathPrefix, value: /${name} } }]
      backendRefs: [{ group: inference.networking.k8s.io, kind: InferencePool, name: ${name} }]
${pooled(name, options)}`
