package dev.weir.lab.files;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * A file that is written beside the one whose place it takes when it is finished; until then, and
 * if it never is, that one stays as it was. Where a link leads to a file, that one is replaced.
 * What is no file, a device or a pipe, is written itself. Not thread-safe.
 */
public final class WholeFile implements Closeable {
  private final Path target;
  private final Path draft;

  private WholeFile(Path target, Path draft) {
    this.target = target;
    this.draft = draft;
  }

  /**
   * Begins a file that is to be {@code file}.
   *
   * @throws IOException if the system does not tell where it lies
   */
  public static WholeFile of(Path file) throws IOException {
    boolean exists = Files.exists(file);
    if (exists && !Files.isRegularFile(file)) {
      return new WholeFile(file, file); // A pipe has no real path.
    }
    Path target = exists ? file.toRealPath() : file.toAbsolutePath();
    Path folder = target.getParent();
    if (exists && folder != null && !Files.isWritable(folder)) {
      return new WholeFile(target, target); // Nothing can be made beside it.
    }
    String name = "%s.%d.tmp".formatted(target.getFileName(), ProcessHandle.current().pid());
    Path draft = target.resolveSibling(name);
    draft.toFile().deleteOnExit();
    return new WholeFile(target, draft);
  }

  /**
   * Writes a file of text.
   *
   * @throws IOException if it cannot be written
   */
  public static void write(Path file, CharSequence text) throws IOException {
    try (WholeFile whole = of(file)) {
      Files.writeString(whole.draft(), text, UTF_8);
      whole.finish();
    }
  }

  /** What is to be written. */
  public Path draft() {
    return draft;
  }

  /**
   * Puts what was written into its place; to be called when it has been closed.
   *
   * @throws IOException if that cannot be done
   */
  public void finish() throws IOException {
    if (!draft.equals(target)) {
      Files.move(
          draft, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }
  }

  /** Drops what is not finished. */
  @Override
  public void close() throws IOException {
    if (!draft.equals(target)) {
      Files.deleteIfExists(draft);
    }
  }
}
