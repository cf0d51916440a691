package dev.weir.lab.peer;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What a peer can be: an allocator of one version of Netty, or Weir. */
public enum NettyPeer {
  /** Chunks of 16 MiB that are cut by halves: the buddy allocator. */
  NETTY_4_1_51("netty-4.1.51", "4.1.51", "pooled"),
  /** Chunks of 16 MiB that are cut into runs of pages. */
  NETTY_4_1_68("netty-4.1.68", "4.1.68", "pooled"),
  /** The same on a Java that does not let Netty reach its own memory: as many ran it. */
  NETTY_4_1_68_PLAIN("netty-4.1.68-no-flags", "4.1.68", "pooled"),
  /** Chunks of 4 MiB; the last of the line. */
  NETTY_4_1_137("netty-4.1.137", "4.1.137", "pooled"),
  /** The pooled allocator of 4.2. */
  NETTY_4_2_POOLED("netty-4.2.18-pooled", "4.2.18", "pooled"),
  /** The default of 4.2. */
  NETTY_4_2_ADAPTIVE("netty-4.2.18-adaptive", "4.2.18", "adaptive"),
  /** Weir under the Netty of this program. */
  WEIR("weir", "", "weir"),
  /** The same, giving memory back sooner. */
  WEIR_DENSE("weir+dense", "", "weir+dense");

  /** The Java that services on Netty 4.1 ran on. */
  public static final int OLD_RELEASE = 17;

  private static final int RELEASE_WITH_NATIVE_ACCESS = 22;

  /** What services passed so that Netty 4.1 need not have its chunks zeroed. */
  private static final List<String> NO_CLEANER =
      List.of(
          "--add-opens=java.base/java.nio=ALL-UNNAMED",
          "-Dio.netty.tryReflectionSetAccessible=true");

  private final String label;
  private final String version;
  private final String allocator;

  NettyPeer(String label, String version, String allocator) {
    this.label = label;
    this.version = version;
    this.allocator = allocator;
  }

  /** The name on the command line and in reports. */
  public String label() {
    return label;
  }

  /** As the peer knows it. */
  String allocator() {
    return allocator;
  }

  /** Whether it is Weir, however it is set. */
  public boolean isWeir() {
    return version.isEmpty();
  }

  /** Whether it ran on an older Java than this one. */
  public boolean isOld() {
    return version.startsWith("4.1.");
  }

  /** Every label, separated by commas. */
  public static String labels() {
    return Arrays.stream(values()).map(NettyPeer::label).collect(Collectors.joining(", "));
  }

  /**
   * Finds a peer by its label.
   *
   * @throws IllegalArgumentException if there is none; the message lists what there is
   */
  public static NettyPeer of(String label) {
    for (NettyPeer peer : values()) {
      if (peer.label.equals(label)) {
        return peer;
      }
    }
    throw new IllegalArgumentException(
        "no allocator '%s'; there are %s".formatted(label, labels()));
  }

  /**
   * The Java that it runs on.
   *
   * @param chosen what the user named for the old ones, if so
   * @throws PeerMissingException if there is none of its time
   */
  Jdk jdk(Optional<Jdk> chosen) throws PeerMissingException {
    if (!isOld()) {
      return Jdk.running();
    }
    Optional<Jdk> old = chosen.isPresent() ? chosen : Jdk.find(OLD_RELEASE);
    if (old.isEmpty()) {
      throw new PeerMissingException(
          "no JDK %d in the usual places: apt install openjdk-%d-jdk-headless, or --jdk PATH"
              .formatted(OLD_RELEASE, OLD_RELEASE));
    }
    return old.get();
  }

  /** The flags that its services had, for direct memory of so many bytes. */
  List<String> flags(Jdk jdk, long limitBytes) {
    Stream<String> own = isOld() && this != NETTY_4_1_68_PLAIN ? NO_CLEANER.stream() : Stream.of();
    Stream<String> access =
        jdk.release() >= RELEASE_WITH_NATIVE_ACCESS
            ? Stream.of("--enable-native-access=ALL-UNNAMED")
            : Stream.of();
    return Stream.of(
            access,
            own,
            Stream.of(
                "-XX:MaxDirectMemorySize=" + limitBytes,
                "-Dio.netty.maxDirectMemory=" + limitBytes))
        .flatMap(flags -> flags)
        .toList();
  }

  /**
   * Its class path: the peer's classes and what they need.
   *
   * @throws IOException if the build has not left it where it should be
   */
  String classPath() throws IOException {
    Path folder = PeerFolder.find();
    Stream<Path> jars = isWeir() ? Stream.of() : jars(folder.resolve("netty-" + version)).stream();
    String own = isWeir() ? ":" + System.getProperty("java.class.path") : "";
    return Stream.concat(Stream.of(folder.resolve("classes")), jars)
            .map(Path::toString)
            .collect(Collectors.joining(":"))
        + own;
  }

  private static List<Path> jars(Path folder) throws IOException {
    if (!Files.isDirectory(folder)) {
      throw new PeerMissingException(
          "no folder '%s': './mvnw package -pl lab-peer' makes it".formatted(folder));
    }
    try (DirectoryStream<Path> jars = Files.newDirectoryStream(folder, "*.jar")) {
      List<Path> found = new ArrayList<>();
      jars.forEach(found::add);
      found.sort(null);
      return found;
    }
  }
}
