package dev.weir.stress;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/**
 * The short form of a fuzz test: its seeds, changed at random. A failure names the line that
 * replays it, and shows the input, to be kept as a seed.
 *
 * <p>{@code -Dweir.test.seed=N} runs that seed alone; {@code -Dweir.test.long=true} runs many more.
 */
public final class Mutations {
  private static final int RUNS = 20_000;
  private static final int LONG_FORM_FACTOR = 50;
  private static final int MOST_CHANGES = 6;
  private static final byte[] TELLING = {0, 1, -1, 127, -128, '%', '"', '\\', '\r', '\n', '/', '0'};

  private final SplittableRandom random;
  private final List<byte[]> seeds;

  private Mutations(SplittableRandom random, List<byte[]> seeds) {
    this.random = random;
    this.seeds = seeds;
  }

  /** What is fuzzed. */
  @FunctionalInterface
  public interface Target {
    void accept(byte[] input) throws Exception;
  }

  /**
   * Runs a target with changed seeds.
   *
   * @param test the class whose {@code fuzz} method has the seeds, where Jazzer looks for them
   */
  public static void run(Class<?> test, Target target) throws Exception {
    List<byte[]> seeds = seeds(test);
    Long only = Long.getLong("weir.test.seed");
    if (only != null) {
      once(test, target, seeds, only);
      return;
    }
    int runs = Boolean.getBoolean("weir.test.long") ? RUNS * LONG_FORM_FACTOR : RUNS;
    for (int seed = 1; seed < runs; seed++) {
      once(test, target, seeds, seed);
    }
    once(test, target, seeds, System.nanoTime());
  }

  private static List<byte[]> seeds(Class<?> test) throws IOException, URISyntaxException {
    var folder = test.getResource(test.getSimpleName() + "Inputs/fuzz");
    if (folder == null) {
      throw new AssertionError("no seeds for " + test);
    }
    try (Stream<Path> files = Files.list(Path.of(folder.toURI()))) {
      return files.sorted().map(Mutations::read).toList();
    }
  }

  private static byte[] read(Path file) {
    try {
      return Files.readAllBytes(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void once(Class<?> test, Target target, List<byte[]> seeds, long seed) {
    byte[] input = new Mutations(new SplittableRandom(seed), seeds).next();
    try {
      target.accept(input);
    } catch (Exception | Error e) {
      throw new AssertionError(
          "replay: ./mvnw -pl stress -am test -Dtest=%s -Dweir.test.seed=%d%n%s%n%s%n%s"
              .formatted(
                  test.getSimpleName(),
                  seed,
                  HexFormat.of().formatHex(input),
                  new String(input, StandardCharsets.ISO_8859_1).replaceAll("\\p{Cntrl}", "."),
                  e),
          e);
    }
  }

  private byte[] next() {
    byte[] input = anySeed().clone();
    for (int changes = random.nextInt(MOST_CHANGES + 1); changes > 0; changes--) {
      input = change(input);
    }
    return input;
  }

  private byte[] anySeed() {
    return seeds.get(random.nextInt(seeds.size()));
  }

  private byte[] change(byte[] input) {
    if (input.length == 0) {
      return anySeed().clone();
    }
    int at = random.nextInt(input.length);
    int end = at + 1 + random.nextInt(Math.min(input.length - at, 1 << random.nextInt(10)));
    switch (random.nextInt(6)) {
      case 0 -> input[at] ^= (byte) (1 << random.nextInt(8));
      case 1 -> input[at] = TELLING[random.nextInt(TELLING.length)];
      case 2 -> input[at] = (byte) random.nextInt();
      case 3 -> input = replace(input, at, end, new byte[0]);
      case 4 -> input = replace(input, at, at, Arrays.copyOfRange(input, at, end));
      default -> {
        byte[] other = anySeed();
        int from = random.nextInt(other.length + 1);
        int to = from + random.nextInt(other.length - from + 1);
        input =
            replace(
                input, at, random.nextBoolean() ? end : at, Arrays.copyOfRange(other, from, to));
      }
    }
    return input;
  }

  private static byte[] replace(byte[] input, int from, int to, byte[] by) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(input, 0, from);
    out.writeBytes(by);
    out.write(input, to, input.length - to);
    return out.toByteArray();
  }

  /** Cuts an input into pieces of the given size, at most: how a network might deliver it. */
  public static List<byte[]> pieces(byte[] input, int from, int pieceBytes) {
    List<byte[]> pieces = new ArrayList<>();
    for (int at = from; at < input.length; at += pieceBytes) {
      pieces.add(Arrays.copyOfRange(input, at, Math.min(input.length, at + pieceBytes)));
    }
    return pieces;
  }
}
