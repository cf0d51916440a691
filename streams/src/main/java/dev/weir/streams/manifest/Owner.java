package dev.weir.streams.manifest;

import java.util.UUID;

/**
 * The node that may write to a store.
 *
 * @param nonce of its data directory
 * @param epoch from 1 on; grows with each change of owner
 * @param host where it runs, for people
 */
public record Owner(UUID nonce, long epoch, String host) {
  /** The object that says it. */
  public static final String KEY = "owner";
}
