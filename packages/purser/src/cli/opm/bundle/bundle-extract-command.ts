import type { LongOpmCommand } from "../opm-command.ts";

/** `opm alpha bundle extract`: writes the files of a bundle directory into the data of an existing ConfigMap. */
export const bundleExtract: LongOpmCommand = {
  path: "alpha bundle extract",
  usage: "",
  summary: "write the files of a bundle directory into a ConfigMap that is there",
  flags: [
    { name: "debug", summary: "accepted, no effect" },
    { name: "kubeconfig", short: "k", value: "FILE", summary: "kubeconfig; KUBECONFIG comes first; none: in a pod" },
    {
      name: "manifestsdir",
      short: "m",
      value: "PREFIX",
      initial: "/",
      summary: "what stands before manifests/ and metadata/",
    },
    { name: "configmapname", short: "c", value: "NAME", summary: "name of the ConfigMap" },
    {
      name: "namespace",
      short: "n",
      value: "NS",
      initial: "openshift-operator-lifecycle-manager",
      summary: "namespace of the ConfigMap",
    },
    {
      name: "datalimit",
      short: "l",
      value: "BYTES",
      type: "uint64",
      initial: "1048576",
      summary: "most bytes of all files",
    },
    { name: "gzip", short: "z", summary: "compress each file" },
  ],
  words: [0, 0],
  // The Kubernetes client is imported only when the command runs.
  run: async (parsed, world) => (await import("./bundle-extract.ts")).extractBundle(parsed, world),
};
