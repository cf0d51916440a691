package dev.weir.lab.replicate;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** What a run needs in files: the container, the C pair, a certificate. */
final class Workshop {
  private static final String PASSWORD = "password";
  private static final int COMPILE_SECONDS = 60;
  private static final int KIB = 1 << 10;

  private Workshop() {}

  /**
   * Random bytes of a seed, the same in every run: files named from 0 on.
   *
   * @param compressible the share of each KiB that is always the same text
   */
  static void fill(Path container, int files, long fileBytes, long seed, double compressible)
      throws IOException {
    int same = (int) (KIB * compressible);
    Files.createDirectories(container);
    Random random = new Random(seed);
    byte[] block = new byte[1 << 20];
    for (int i = 0; i < files; i++) {
      try (OutputStream out =
          new BufferedOutputStream(Files.newOutputStream(container.resolve("" + i)))) {
        for (long left = fileBytes; left > 0; left -= block.length) {
          random.nextBytes(block);
          for (int at = 0; at < block.length; at += KIB) {
            Arrays.fill(block, at, at + same, (byte) 'w');
          }
          out.write(block, 0, (int) Math.min(block.length, left));
        }
      }
    }
  }

  /** Compiles the C pair, or returns null where there is no compiler that can. */
  static @Nullable Path compile(Path folder) throws IOException {
    Path source = folder.resolve("peer.c");
    try (InputStream in = Workshop.class.getResourceAsStream("peer.c")) {
      if (in == null) {
        throw new IOException("peer.c is missing in this program");
      }
      Files.copy(in, source, StandardCopyOption.REPLACE_EXISTING);
    }
    Path program = folder.resolve("peer");
    return runs(
            List.of(
                "cc", "-O3", "-msse4.2", "-pthread", "-o", program.toString(), source.toString()))
        ? program
        : null;
  }

  /** A certificate for loopback, and its key, in PEM: made by the JDK's keytool. */
  static Certificate certificate(Path folder) throws IOException {
    Path keys = folder.resolve("keys.p12");
    String keytool = Path.of(System.getProperty("java.home"), "bin", "keytool").toString();
    boolean made =
        runs(
            List.of(
                keytool,
                "-genkeypair",
                "-alias",
                "bench",
                "-dname",
                "CN=localhost",
                "-ext",
                "SAN=dns:localhost,ip:127.0.0.1",
                "-storetype",
                "PKCS12",
                "-storepass",
                PASSWORD,
                "-keystore",
                keys.toString(),
                "-keyalg",
                "EC",
                "-groupname",
                "secp256r1"));
    if (!made) {
      throw new IOException(keytool + " made no certificate");
    }
    return Certificate.read(keys, PASSWORD, folder);
  }

  private static boolean runs(List<String> command) throws IOException {
    try {
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      return process.waitFor(COMPILE_SECONDS, TimeUnit.SECONDS) && process.exitValue() == 0;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    } catch (IOException noSuchProgram) {
      return false;
    }
  }

  /** A configuration of nginx that serves a container. */
  static Path nginx(Path folder, Path container, int port, @Nullable Certificate tls)
      throws IOException {
    String secure =
        tls == null
            ? ""
            : ("ssl_certificate %s; ssl_certificate_key %s; ssl_protocols TLSv1.3;"
                    + " ssl_conf_command Ciphersuites TLS_AES_128_GCM_SHA256;")
                .formatted(tls.certificate(), tls.key());
    return Files.writeString(
        folder.resolve("nginx.conf"),
        """
        daemon off; worker_processes auto; pid %1$s/nginx.pid; error_log stderr;
        events { worker_connections 256; }
        http { access_log off; sendfile on; tcp_nopush on;
          client_body_temp_path %1$s; proxy_temp_path %1$s; fastcgi_temp_path %1$s;
          uwsgi_temp_path %1$s; scgi_temp_path %1$s;
          server { listen 127.0.0.1:%2$d%3$s; %4$s root %5$s; } }
        """
            .formatted(folder, port, tls == null ? "" : " ssl", secure, container),
        UTF_8);
  }
}
