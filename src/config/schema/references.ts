import { either, exactlyOne, formatted, type Properties, record, ref, text, whole } from './builders.ts'

const serviceReference = record(
  'A port of a service in the section `services`.',
  {
    name: either(
      'Service, as `namespace/hostname` or as an object.',
      formatted('serviceName', 'Service, as `namespace/hostname`.'),
      record(
        'Service, as an object.',
        {
          namespace: { ...text('Namespace.', { minLength: 1 }), default: 'default' },
          hostname: text('Host name.', { minLength: 1 }),
        },
        { required: ['hostname'] },
      ),
    ),
    port: whole('Service port.', 1, 65535),
  },
  { required: ['name', 'port'] },
)

/** The three kinds of references to a plain destination. */
export const simpleReference: Properties = {
  service: ref('ServiceReference'),
  host: formatted(
    'serviceHost',
    '`host:port`, a Unix socket as `unix:/path`, or a URL without path. `http://host` uses port 80; `https://host` uses port 443 and TLS with a publicly trusted certificate, unless `backendTLS` overrides it.',
  ),
  backend: text('Backend of the section `backends`, as `name` or `/name`.', { minLength: 1 }),
}

const backendReference = record(
  'A destination; set exactly one field.',
  simpleReference,
  exactlyOne(...Object.keys(simpleReference)),
)

/** Definitions of references. */
export const referenceDefinitions: Properties = {
  ServiceReference: serviceReference,
  BackendReference: backendReference,
}
