/** Where proxies find the server. */
export interface XdsServerNames {
  readonly serviceName: string
  readonly namespace: string
  readonly clusterDomain: string
  /** The host that proxies connect to, in place of that of the Service. */
  readonly host: string | undefined
  readonly additionalHosts: readonly string[]
}

/** The names and addresses of the server's certificate, the usual one first. */
export const xdsCertificateNames = (server: XdsServerNames): readonly string[] => {
  const { serviceName, namespace, clusterDomain, host, additionalHosts } = server
  const inCluster = `${serviceName}.${namespace}`
  const usual =
    host === undefined ? [`${inCluster}.svc.${clusterDomain}`, `${inCluster}.svc`, inCluster] : [host]
  return [...new Set([...usual, ...additionalHosts].map((name) => name.toLowerCase()))]
}
