package dev.weir.server.console;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;

/**
 * A library for browsers that Maven has put on the class path: {@code org.webjars.npm}, in the
 * version of the build.
 *
 * @param name its artifact
 */
record WebJar(String name) {
  /** The whole content of one of its files; it is there, or the build has left the library out. */
  byte[] read(String path) {
    try (InputStream in =
        open("META-INF/resources/webjars/%s/%s/%s".formatted(name, version(), path))) {
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException("the file %s of the library %s".formatted(path, name), e);
    }
  }

  private String version() throws IOException {
    try (InputStream in =
        open("META-INF/maven/org.webjars.npm/%s/pom.properties".formatted(name))) {
      Properties properties = new Properties();
      properties.load(in);
      return properties.getProperty("version", "");
    }
  }

  private InputStream open(String resource) {
    InputStream in = WebJar.class.getClassLoader().getResourceAsStream(resource);
    if (in == null) {
      throw new IllegalStateException(
          "org.webjars.npm:%s is not on the class path: there is no %s".formatted(name, resource));
    }
    return in;
  }
}
