package dev.weir.server;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Kills a node at random while clients append records of all sizes, starts it again, and looks for
 * every acknowledged one.
 *
 * <p>{@code -Dweir.kill.rounds=200} makes it a long run. {@code -Dweir.kill.serve="FLAGS"} adds
 * flags of {@code serve}, where {@code {data}} stands for the folder of the test. Each round is
 * recorded in {@code target/kill-rounds-*.jsonl}.
 */
class KillTest {
  private static final int ROUNDS = Integer.getInteger("weir.kill.rounds", 20);
  private static final int SMALL_HEAP_ROUNDS = Math.max(3, ROUNDS / 20);
  private static final String MORE_FLAGS = System.getProperty("weir.kill.serve", "");

  @TempDir Path folder;

  private List<String> arguments() {
    List<String> arguments =
        new ArrayList<>(
            List.of("--port", "0", "--data", folder.resolve("data").toString(), "--budget", "32M"));
    if (!MORE_FLAGS.isBlank()) {
      for (String flag : MORE_FLAGS.strip().split(" +")) {
        arguments.add(flag.replace("{data}", folder.toString()));
      }
    }
    return arguments;
  }

  @Test
  void noAcknowledgedRecordIsLostAndNoneIsThereTwiceAfterKills() throws Exception {
    long seed = Long.getLong("weir.test.seed", System.nanoTime());
    KillHarness.Ending killed =
        new KillHarness.Ending() {
          @Override
          public NodeProcess start() throws IOException {
            return NodeProcess.with(arguments());
          }

          @Override
          public Process launch() throws IOException {
            return NodeProcess.launch(arguments().toArray(String[]::new));
          }

          @Override
          public void end(NodeProcess node) {
            node.process.destroyForcibly();
          }

          @Override
          public int exitCode() {
            return 128 + 9;
          }
        };
    try (KillHarness harness =
        new KillHarness(killed, seed, Path.of("target", "kill-rounds-killed.jsonl"))) {
      harness.run(ROUNDS);
    }
  }

  @Test
  void noAcknowledgedRecordIsLostAndNoneIsThereTwiceAfterTheHeapIsFull() throws Exception {
    long seed = Long.getLong("weir.test.seed", System.nanoTime());
    KillHarness.Ending full =
        new KillHarness.Ending() {
          @Override
          public NodeProcess start() throws IOException {
            return NodeProcess.withSmallHeap(arguments());
          }

          @Override
          public void end(NodeProcess node) throws IOException {
            node.fillHeap();
          }

          @Override
          public int exitCode() {
            return 3;
          }
        };
    try (KillHarness harness =
        new KillHarness(full, seed, Path.of("target", "kill-rounds-full-heap.jsonl"))) {
      harness.run(SMALL_HEAP_ROUNDS);
    }
  }
}
