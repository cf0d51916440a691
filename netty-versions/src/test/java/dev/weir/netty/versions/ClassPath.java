package dev.weir.netty.versions;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The class path of the tests, in parts. */
final class ClassPath {
  private ClassPath() {}

  static List<Path> entries() {
    return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
        .map(Path::of)
        .filter(Files::exists)
        .toList();
  }

  /** The jar, or the folder of classes, of one of Weir's modules. */
  static Path weir(String module) {
    return entries().stream()
        .filter(entry ->
            isJar(entry, "weir-" + module + "-\\d.*")
                || entry.endsWith(Path.of(module, "target", "classes")))
        .findFirst()
        .orElseThrow();
  }

  /** Jars whose name begins so, with a version behind it. */
  static List<Path> jars(String name) {
    return entries().stream().filter(entry -> isJar(entry, name + "-\\d.*")).toList();
  }

  /** All but Netty, and that of {@code version} in its place. */
  static List<Path> with(NettyVersion version) {
    List<Path> entries = new ArrayList<>(entries());
    entries.removeIf(entry -> isJar(entry, "netty-.*"));
    entries.addAll(version.jars());
    return entries;
  }

  private static boolean isJar(Path entry, String name) {
    return entry.getFileName().toString().matches(name + "\\.jar");
  }

  /** The class files of a jar or a folder, by internal name. */
  static Map<String, byte[]> classes(Path entry) {
    if (Files.isDirectory(entry)) {
      return classesBelow(entry);
    }
    try (FileSystem jar = FileSystems.newFileSystem(entry)) {
      return classesBelow(jar.getPath("/"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Map<String, byte[]> classesBelow(Path root) {
    Map<String, byte[]> classes = new LinkedHashMap<>();
    try (Stream<Path> files = Files.walk(root)) {
      for (Path file : files.sorted().toList()) {
        String name = root.relativize(file).toString();
        if (name.endsWith(".class") && !name.endsWith("module-info.class")) {
          String className = name.substring(0, name.length() - ".class".length());
          classes.put(className.replace(File.separatorChar, '/'), Files.readAllBytes(file));
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return classes;
  }
}
