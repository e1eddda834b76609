// Loaded into the measured process with `--expose-gc --import`: SIGUSR2 collects garbage and prints what is left.
process.on("SIGUSR2", () => {
  (globalThis as { gc?: () => void }).gc?.();
  const { heapUsed, rss } = process.memoryUsage();
  process.stderr.write(`memory ${JSON.stringify({ heapMB: heapUsed / 1e6, rssMB: rss / 1e6 })}\n`);
});
