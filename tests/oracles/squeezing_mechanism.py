#!/usr/bin/env python3
"""Andrews' squeezing mechanism from the equations of motion in the IVP Test Set (problem 13), as accelerations of
index 1, by extrapolation of the midpoint rule: prints the angles at t = 0.03 for the numbers of steps that are
given. It shares no code with taut; tests/theorems/mechanics_as_written.cpp quotes its digits for 300."""
import sys
from math import cos, sin, sqrt

m1, m2, m3, m4, m5, m6, m7 = .04325, .00365, .02373, .00706, .07050, .00706, .05498
xa, ya, xb, yb, xc, yc = -.06934, -.00227, -.03635, .03273, .014, .072
c0, l0, mom = 4530.0, .07785, .033
i1, i2, i3, i4, i5, i6, i7 = 2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5
d, da, e, ea, rr, ra, ss, sa, sb = .028, .0115, .02, .01421, .007, .00092, .035, .01874, .01043
sc, sd, ta, tb, u, ua, ub, zf, zt, fa = .018, .02, .02308, .00916, .04, .01228, .00449, .02, .04, .01421


def accelerations(q, v):
    be,th,ga,ph,de,om,ep=q; bp,tp,gp,pp,dp,op,epp=v
    sibe,cobe,sith,coth=sin(be),cos(be),sin(th),cos(th)
    sb_t,cb_t=sin(be+th),cos(be+th); sga,cga=sin(ga),cos(ga); sph,cph=sin(ph),cos(ph)
    sde,cde=sin(de),cos(de); spd,cpd=sin(ph+de),cos(ph+de); som,com=sin(om),cos(om); sep,cep=sin(ep),cos(ep)
    soe,coe=sin(om+ep),cos(om+ep)
    A=[[0.0]*14 for _ in range(13)]
    A[0][0]=m1*ra**2+m2*(rr**2-2*da*rr*coth+da**2)+i1+i2
    A[1][0]=A[0][1]=m2*(da**2-da*rr*coth)+i2
    A[1][1]=m2*da**2+i2; A[2][2]=m3*(sa**2+sb**2)+i3
    A[3][3]=m4*(e-ea)**2+i4
    A[4][3]=A[3][4]=m4*((e-ea)**2+zt*(e-ea)*sph)+i4
    A[4][4]=m4*(zt**2+2*zt*(e-ea)*sph+(e-ea)**2)+m5*(ta**2+tb**2)+i4+i5
    A[5][5]=m6*(zf-fa)**2+i6
    A[6][5]=A[5][6]=m6*((zf-fa)**2-u*(zf-fa)*som)+i6
    A[6][6]=m6*((zf-fa)**2-2*u*(zf-fa)*som+u**2)+m7*(ua**2+ub**2)+i6+i7
    xd=sd*cga+sc*sga+xb; yd=sd*sga-sc*cga+yb
    L=sqrt((xd-xc)**2+(yd-yc)**2); F=-c0*(L-l0)/L; fx,fy=F*(xd-xc),F*(yd-yc)
    A[0][13]=mom-m2*da*rr*tp*(tp+2*bp)*sith
    A[1][13]=m2*da*rr*bp**2*sith
    A[2][13]=fx*(sc*cga-sd*sga)+fy*(sd*cga+sc*sga)
    A[3][13]=m4*zt*(e-ea)*dp**2*cph
    A[4][13]=-m4*zt*(e-ea)*pp*(pp+2*dp)*cph
    A[5][13]=-m6*u*(zf-fa)*epp**2*com
    A[6][13]=m6*u*(zf-fa)*op*(op+2*epp)*com
    G=[[-rr*sibe+d*sb_t,d*sb_t,-ss*cga,0,0,0,0],
       [rr*cobe-d*cb_t,-d*cb_t,-ss*sga,0,0,0,0],
       [-rr*sibe+d*sb_t,d*sb_t,0,-e*cpd,-e*cpd+zt*sde,0,0],
       [rr*cobe-d*cb_t,-d*cb_t,0,-e*spd,-e*spd-zt*cde,0,0],
       [-rr*sibe+d*sb_t,d*sb_t,0,0,0,zf*soe,zf*soe-u*cep],
       [rr*cobe-d*cb_t,-d*cb_t,0,0,0,-zf*coe,-zf*coe-u*sep]]
    c1=-rr*cobe*bp**2+d*cb_t*(bp+tp)**2; c2=-rr*sibe*bp**2+d*sb_t*(bp+tp)**2
    gqq=[c1+ss*sga*gp**2, c2-ss*cga*gp**2,
         c1+e*spd*(pp+dp)**2+zt*cde*dp**2, c2-e*cpd*(pp+dp)**2+zt*sde*dp**2,
         c1+zf*coe*(op+epp)**2+u*sep*epp**2, c2+zf*soe*(op+epp)**2-u*cep*epp**2]
    for k in range(6):
        for j in range(7):
            A[7+k][j]=A[j][7+k]=G[k][j]
        A[7+k][13]=-gqq[k]
    n=13
    for j in range(n):
        b=max(range(j,n),key=lambda i:abs(A[i][j]))
        A[j],A[b]=A[b],A[j]
        p=A[j]
        for i in range(j+1,n):
            r=A[i]
            if r[j]!=0:
                f=r[j]/p[j]
                for k in range(j,n+1): r[k]-=f*p[k]
    x=[0.0]*n
    for j in range(n-1,-1,-1):
        s=A[j][13]
        for k in range(j+1,n): s-=A[j][k]*x[k]
        x[j]=s/A[j][j]
    return x[:7]

def f(y): return y[7:]+accelerations(y[:7], y[7:])

seq=[2,4,6,8,10,12]

def gbs(y,H):
    T=[]
    f0=f(y)
    for k,n in enumerate(seq):
        h=H/n
        a=y; b=[s+h*t for s,t in zip(y,f0)]
        for i in range(1,n):
            g=f(b); a,b=b,[s+2*h*t for s,t in zip(a,g)]
        row=[b]
        for j in range(1,k+1):
            w=(n/seq[k-j])**2-1
            row.append([p+(p-r)/w for p,r in zip(row[j-1],T[k-1][j-1])])
        T.append(row)
    return T[-1][-1]

q0=[-0.0617138900142764496358948458001,0.0,0.455279819163070380255912382449,0.222668390165885884674473185609,0.487364979543842550225598953530,-0.222668390165885884674473185609,1.23054744454982119249735015568]
pub=[15.81077119629904,-15.75637105984298,0.04082224013073101,-0.5347301163226948,0.5244099658805304,0.5347301163226948,1.048080741042263]
for N in [int(a) for a in sys.argv[1:]] or [300]:
    y=q0+[0.0]*7
    for _ in range(N): y=gbs(y,0.03/N)
    print(N,[repr(x) for x in y[:7]]); print("   minus published",["%.2e"%(a-b) for a,b in zip(y,pub)],flush=True)
