package dev.weir.replication.manifest;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** The digest of manifests, which every JVM has. */
public final class Sha256 {
  private Sha256() {}

  /** A digest of nothing yet. */
  public static MessageDigest start() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
