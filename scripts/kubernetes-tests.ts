/* Which files of test/kubernetes CI runs. */

/** Those that CI runs, the longest first, so that none runs alone at the end. */
export const ciKubernetesTests: readonly string[] = [
  'test/kubernetes/controller/key-sets-of-replicas.test.ts',
  'test/kubernetes/controller/role.test.ts',
  'test/kubernetes/controller/statuses.test.ts',
  'test/kubernetes/controller/events.test.ts',
  'test/kubernetes/controller/models.test.ts',
  'test/kubernetes/controller/key-sets.test.ts',
  'test/kubernetes/controller/api-server.test.ts',
  'test/kubernetes/controller/gateway-class.test.ts',
  'test/kubernetes/controller/agctl-check.test.ts',
  'test/kubernetes/controller/guides.test.ts',
  'test/kubernetes/controller/namespace-end.test.ts',
  'test/kubernetes/controller/election.test.ts',
  'test/kubernetes/controller/session-key.test.ts',
  'test/kubernetes/controller/normalised-values.test.ts',
  'test/kubernetes/controller/warnings.test.ts',
  'test/kubernetes/controller/ownership.test.ts',
  'test/kubernetes/cluster-folder.test.ts',
  'test/kubernetes/permissions.test.ts',
  'test/kubernetes/project-image.test.ts',
  'test/kubernetes/run-with-input.test.ts',
]

/** Those that run by hand only, and why. Each with a lab of its own takes one to three minutes. */
export const otherKubernetesTests: Readonly<Record<string, string>> = {
  'test/kubernetes/agctl.test.ts': 'a lab; CI has agctl with objects of an API server in agctl-check.test.ts',
  'test/kubernetes/chart.test.ts': 'a hundred programs, one after the other: minutes beside other load',
  'test/kubernetes/cluster.test.ts': 'all others show that an API server starts',
  'test/kubernetes/controller/faults.test.ts': 'faults last: two minutes and more',
  'test/kubernetes/controller/strategic-merge.test.ts': 'random patches, each by another process',
  'test/kubernetes/helm.test.ts': 'a lab; CI has the chart installed in the conformance suites',
  'test/kubernetes/interrupt.test.ts': 'three labs',
  'test/kubernetes/lab.test.ts': 'two labs; of the lab itself, which the conformance suites use',
  'test/kubernetes/policies.test.ts': 'a lab; CI has the golden translations and the proxies that they go to',
  'test/kubernetes/proxy-parameters.test.ts': 'a lab, whose pods are replaced again and again',
  'test/kubernetes/traffic.test.ts': 'a lab, with requests while pods are replaced',
}
