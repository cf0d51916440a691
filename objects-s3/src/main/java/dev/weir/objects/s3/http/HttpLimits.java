package dev.weir.objects.s3.http;

import java.time.Duration;

/**
 * What the HTTP client keeps to.
 *
 * @param maxConnections open at once
 * @param connectTimeout until a connection is there, TLS included
 * @param silenceTimeout the longest without a byte in either direction, while an exchange runs
 * @param idleTimeout how long a connection rests before it is closed
 */
public record HttpLimits(
    int maxConnections, Duration connectTimeout, Duration silenceTimeout, Duration idleTimeout) {}
