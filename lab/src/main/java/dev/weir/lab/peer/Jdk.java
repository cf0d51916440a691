package dev.weir.lab.peer;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A Java installation.
 *
 * @param home its folder, with {@code bin/java} and {@code release}
 * @param release its major version
 */
public record Jdk(Path home, int release) {
  /** Folders to look in instead of the usual, separated by colons; the launcher obeys it too. */
  private static final String FOLDERS = "WEIR_JDK_DIRS";

  private static final Pattern SEPARATOR = Pattern.compile(":");
  private static final Pattern VERSION = Pattern.compile("(?m)^JAVA_VERSION=\"(?:1\\.)?(\\d+)");
  private static final List<String> ON_A_MAC = List.of("", "Contents/Home");

  /** The one that this JVM runs on. */
  public static Jdk running() {
    return new Jdk(Path.of(System.getProperty("java.home")), Runtime.version().feature());
  }

  /** The one in the folder; empty if there is none. */
  public static Optional<Jdk> in(Path home) {
    try {
      Matcher version = VERSION.matcher(Files.readString(home.resolve("release")));
      return version.find() && Files.isExecutable(home.resolve("bin/java"))
          ? Optional.of(new Jdk(home, Integer.parseInt(version.group(1))))
          : Optional.empty();
    } catch (IOException unreadable) {
      return Optional.empty();
    }
  }

  /** One of that major version in the usual places. */
  public static Optional<Jdk> find(int release) {
    for (Path folder : folders()) {
      for (Path installed : inside(folder)) {
        for (String inner : ON_A_MAC) {
          Optional<Jdk> jdk = in(installed.resolve(inner)).filter(it -> it.release == release);
          if (jdk.isPresent()) {
            return jdk;
          }
        }
      }
    }
    return Optional.empty();
  }

  /** Its launcher. */
  public Path java() {
    return home.resolve("bin/java");
  }

  private static List<Path> folders() {
    String set = System.getenv(FOLDERS);
    if (set != null) {
      return SEPARATOR.splitAsStream(set).map(Path::of).toList();
    }
    Path user = Path.of(System.getProperty("user.home"));
    return List.of(
        Path.of("/usr/lib/jvm"),
        Path.of("/usr/java"),
        Path.of("/opt"),
        Path.of("/opt/java"),
        user.resolve(".sdkman/candidates/java"),
        user.resolve(".jdks"),
        user.resolve(".asdf/installs/java"),
        user.resolve(".local/share/mise/installs/java"),
        Path.of("/Library/Java/JavaVirtualMachines"));
  }

  private static List<Path> inside(Path folder) {
    List<Path> found = new ArrayList<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder)) {
      entries.forEach(found::add);
    } catch (NoSuchFileException | NotDirectoryException absent) {
      // As most of the usual places are.
    } catch (IOException unreadable) {
      // As if it were not there.
    }
    found.sort(null);
    return found;
  }
}
