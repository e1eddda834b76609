/** What is done about what a bundle of a ClusterExtension requires and nothing on the cluster provides. */
export const dependencyModes = ["verify", "propose", "install"] as const;
export type DependencyMode = (typeof dependencyModes)[number];
