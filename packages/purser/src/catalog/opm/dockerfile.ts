import { goQuote } from "@purser/kubernetes/go-quote";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { compareBytes } from "@purser/kubernetes/text/documents";

export interface DockerfileOptions {
  readonly baseImage: string;
  readonly builderImage: string;
  /** Base name of the catalog's directory; the build context is its parent. */
  readonly indexDirectory: string;
  readonly labels: ReadonlyMap<string, string>;
}

/** Labels given as `key=value`; the last of equal keys counts. The problem is upstream's text. */
export function parseLabels(texts: readonly string[]): Result<ReadonlyMap<string, string>, string> {
  const labels = new Map<string, string>();
  for (const text of texts) {
    const equals = text.indexOf("=");
    if (equals === -1) return failed(`invalid label ${goQuote(text)}`);
    labels.set(text.slice(0, equals), text.slice(equals + 1));
  }
  return done(labels);
}

/** The Dockerfile of a catalog image whose serve cache is filled while it is built. */
export function catalogDockerfile(options: DockerfileOptions): Result<string, string> {
  const { baseImage, builderImage, indexDirectory, labels } = options;
  if (baseImage === "") return failed("base image is unset");
  if (indexDirectory === "") return failed("index directory is unset");
  const lines = [
    "# The builder needs /bin/opm with the serve command.",
    `FROM ${builderImage} as builder`,
    "",
    "# The catalog, and the cache that makes the server start at once.",
    `ADD ${indexDirectory} /configs`,
    'RUN ["/bin/opm", "serve", "/configs", "--cache-dir=/tmp/cache", "--cache-only"]',
    "",
    ...(baseImage === "scratch" ? ["FROM scratch", "", ...scratchNote] : [`FROM ${baseImage}`, "", ...serving]),
    "",
    "COPY --from=builder /configs /configs",
    "COPY --from=builder /tmp/cache /tmp/cache",
    "",
    "# Where tools find the catalog in the image.",
    "LABEL operators.operatorframework.io.index.configs.v1=/configs",
    ...[...labels].sort(([a], [b]) => compareBytes(a, b)).map(([key, value]) => `LABEL "${key}"="${value}"`),
  ];
  return done(`${lines.join("\n")}\n`);
}

const serving = [
  "# The base image needs /bin/opm and /bin/grpc_health_probe.",
  'ENTRYPOINT ["/bin/opm"]',
  'CMD ["serve", "/configs", "--cache-dir=/tmp/cache"]',
];

const scratchNote = [
  "# This image holds content only. A CatalogSource of OLM v0 must say where it lies:",
  "#   spec:",
  "#     grpcPodConfig:",
  "#       extractContent:",
  "#         catalogDir: /configs",
  "#         cacheDir: /tmp/cache",
];
