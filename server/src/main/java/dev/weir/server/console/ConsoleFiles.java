package dev.weir.server.console;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The files of the web console, and those of the library that it draws with, read once and kept
 * outside the pool: some 340 KB. Only those named here are served, whatever a URL asks for.
 */
public final class ConsoleFiles {
  private static final String SCRIPT = "text/javascript; charset=utf-8";

  private static final Map<String, String> TYPES =
      Map.ofEntries(
          Map.entry("index.html", "text/html; charset=utf-8"),
          Map.entry("console.css", "text/css; charset=utf-8"),
          Map.entry("icon.svg", "image/svg+xml"),
          Map.entry("main.js", SCRIPT),
          Map.entry("format.js", SCRIPT),
          Map.entry("history.js", SCRIPT),
          Map.entry("ask.js", SCRIPT),
          Map.entry("icicle.js", SCRIPT),
          Map.entry("budgets.js", SCRIPT),
          Map.entry("facts.js", SCRIPT),
          Map.entry("flame.js", SCRIPT),
          Map.entry("pagemap.js", SCRIPT),
          Map.entry("places.js", SCRIPT),
          Map.entry("tables.js", SCRIPT));

  private static final WebJar D3 = new WebJar("d3");

  private static final Map<String, ConsoleFile> FILES = load();

  private ConsoleFiles() {}

  /**
   * One file.
   *
   * @param type its media type
   * @param tag its entity tag
   */
  public record ConsoleFile(String type, String tag, ByteBuf bytes) {
    /** The content; it need not be released. */
    @Override
    public ByteBuf bytes() {
      return bytes.duplicate();
    }
  }

  /** The file of that name; null if there is none. */
  public static @Nullable ConsoleFile find(String name) {
    return FILES.get(name);
  }

  private static Map<String, ConsoleFile> load() {
    Map<String, ConsoleFile> files = new TreeMap<>();
    TYPES.forEach((name, type) -> files.put(name, file(type, read(name))));
    files.put("d3.js", file(SCRIPT, D3.read("dist/d3.min.js")));
    files.put("d3-license.txt", file("text/plain; charset=utf-8", D3.read("LICENSE")));
    return files;
  }

  private static byte[] read(String name) {
    try (InputStream in = ConsoleFiles.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException("the console's file " + name + " is not in the jar");
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException("the console's file " + name, e);
    }
  }

  private static ConsoleFile file(String type, byte[] bytes) {
    CRC32C sum = new CRC32C();
    sum.update(bytes);
    String tag = "\"%08x\"".formatted(sum.getValue());
    ByteBuf direct = Unpooled.directBuffer(bytes.length).writeBytes(bytes);
    return new ConsoleFile(type, tag, Unpooled.unreleasableBuffer(direct).asReadOnly());
  }
}
