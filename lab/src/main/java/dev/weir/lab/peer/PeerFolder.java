package dev.weir.lab.peer;

import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;

/**
 * The folder that the build makes: the peer's classes, and the jars of each version of Netty. It
 * lies beside the lab's jar, or where the build of the sources leaves it.
 */
final class PeerFolder {
  /** Names another folder. */
  static final String PROPERTY = "weir.lab.peers";

  private static final String BESIDE_JAR = "peers";
  private static final String IN_SOURCES = "lab-peer/target/peers";
  private static final int SOURCE_DEPTH = 4;

  private PeerFolder() {}

  /**
   * Finds it.
   *
   * @throws PeerMissingException if it is not there
   */
  static Path find() throws PeerMissingException {
    String set = System.getProperty(PROPERTY);
    if (set != null) {
      return require(Path.of(set));
    }
    Path beside = codeFolder().resolve(BESIDE_JAR);
    if (Files.isDirectory(beside)) {
      return beside;
    }
    Path folder = codeFolder();
    for (int i = 0; i < SOURCE_DEPTH && folder != null; i++) {
      Path built = folder.resolve(IN_SOURCES);
      if (Files.isDirectory(built)) {
        return built;
      }
      folder = folder.getParent();
    }
    return require(beside);
  }

  private static Path require(Path folder) throws PeerMissingException {
    if (!Files.isDirectory(folder.resolve("classes"))) {
      throw new PeerMissingException(
          "no folder '%s' with other versions of Netty: './mvnw package -pl lab-peer' makes it"
              .formatted(folder));
    }
    return folder;
  }

  private static Path codeFolder() {
    CodeSource source = PeerFolder.class.getProtectionDomain().getCodeSource();
    try {
      Path code = source == null ? Path.of("") : Path.of(source.getLocation().toURI());
      Path folder = code.toAbsolutePath().getParent();
      return folder == null ? Path.of("") : folder;
    } catch (URISyntaxException unlikely) {
      throw new IllegalStateException(unlikely);
    }
  }
}
